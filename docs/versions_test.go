// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// pinned is the first submatch of a pattern in a go.mod file.
func pinned(t *testing.T, path, pattern string) string {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	match := regexp.MustCompile(pattern).FindSubmatch(content)
	g.Expect(match).NotTo(BeNil(), "%s in %s", pattern, path)
	return string(match[1])
}

func TestTestedVersionsAreThePinnedOnes(t *testing.T) {
	g := NewWithT(t)
	compatibility := strings.Join(read(t, "../README.md").section(t, "## Compatibility").lines, "\n")
	g.Expect(compatibility).To(ContainSubstring("tested with " + pinned(t, "../hack/kubernetes/go.mod", `(?m)^\s*k8s\.io/kubernetes (v\S+)`) + ","))
	g.Expect(compatibility).To(ContainSubstring("| Go | " + pinned(t, "../go.mod", `(?m)^go (\d+\.\d+)`) + " |"))
}
