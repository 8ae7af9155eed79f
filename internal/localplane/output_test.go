// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
)

func TestTail(t *testing.T) {
	long := strings.Repeat("x", tailBytes-6)
	var many []string
	for i := range tailLines + 5 {
		many = append(many, fmt.Sprintf("line %d", i))
	}
	for name, tt := range map[string]struct{ content, want string }{
		"empty":         {"", ""},
		"short":         {"a\nb\n", "a\nb"},
		"last lines":    {strings.Join(many, "\n") + "\n", strings.Join(many[5:], "\n")},
		"whole lines":   {"cut off\n" + long + "\nend\n", long + "\nend"},
		"one long line": {"start" + strings.Repeat("y", 2*tailBytes), strings.Repeat("y", tailBytes)},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := filepath.Join(t.TempDir(), "log")
			g.Expect(os.WriteFile(path, []byte(tt.content), 0o600)).To(Succeed())
			g.Expect(tail(path)).To(Equal(tt.want))
		})
	}
}

func TestTailOfMissingFile(t *testing.T) {
	g := NewWithT(t)
	g.Expect(tail(filepath.Join(t.TempDir(), "none"))).To(ContainSubstring("no such file"))
}

func TestSharedLogKeepsLinesWhole(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	log := &sharedLog{to: &out}
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		w := log.prefixed(name + ": ")
		wg.Go(func() {
			for range 100 {
				_, _ = w.Write([]byte("one "))
				_, _ = w.Write([]byte("line\nunfinished"))
				_, _ = w.Write([]byte(" line\n"))
			}
		})
	}
	wg.Wait()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	g.Expect(lines).To(HaveLen(400))
	g.Expect(lines).To(HaveEach(MatchRegexp(`^[ab]: (one|unfinished) line$`)))
}
