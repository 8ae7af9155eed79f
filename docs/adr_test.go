// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// namedTest is a test's name behind the file that has it: `a/b_test.go`: `name`, `name`.
var namedTest = regexp.MustCompile("^- `([^`]+_test\\.go)`:((?: `[^`]+`[,.;]?)+)")

// TestDecisionsNameTestsThatExist reads the test plans. A name is that of a Go test, or the
// text of a ginkgo spec.
func TestDecisionsNameTestsThatExist(t *testing.T) {
	pages, err := filepath.Glob("adr/0*.md")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, path := range pages {
		if strings.HasPrefix(filepath.Base(path), "0000-") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			g := NewWithT(t)
			p := read(t, path)
			for _, heading := range []string{"## Context", "## Decision", "## Consequences", "## Alternatives"} {
				p.section(t, heading)
			}
			named := 0
			plan := strings.ReplaceAll(strings.Join(p.section(t, "## Test plan").lines, "\n"), "\n  ", " ")
			for line := range strings.SplitSeq(plan, "\n") {
				match := namedTest.FindStringSubmatch(line)
				if match == nil {
					continue
				}
				content, err := os.ReadFile(filepath.Join("..", match[1]))
				g.Expect(err).NotTo(HaveOccurred())
				for _, name := range codes(match[2]) {
					g.Expect(strings.Contains(string(content), name)).To(BeTrue(), "%s names %q, which %s does not have", path, name, match[1])
					named++
				}
			}
			g.Expect(named).To(BeNumerically(">", 0), "the test plan of %s names no test", path)
		})
	}
}
