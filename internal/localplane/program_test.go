// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestProgram(t *testing.T) {
	g := NewWithT(t)
	log := filepath.Join(t.TempDir(), "log")
	p, err := StartProgram(Program{
		Name: "shell", Binary: "/bin/sh", Args: []string{"-c", `echo "$GREETING"; cat`}, Env: []string{"GREETING=hello"},
		Dir: t.TempDir(), LogFile: log,
	})
	g.Expect(err).NotTo(HaveOccurred())
	<-p.Done()
	g.Expect(p.Exited()).To(MatchError(And(ContainSubstring("exit status 0"), ContainSubstring("hello"))))
	content, err := os.ReadFile(log)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(Equal("hello\n"))
	g.Expect(p.Kill()).To(Succeed())
}

func TestProgramIsKilled(t *testing.T) {
	g := NewWithT(t)
	p, err := StartProgram(Program{
		Name: "shell", Binary: "/bin/sh", Args: []string{"-c", "while :; do read x <&2; done"}, LogFile: filepath.Join(t.TempDir(), "log"),
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.Exited()).To(Succeed())
	g.Expect(p.Kill()).To(Succeed())
	g.Expect(p.Exited()).To(MatchError(ContainSubstring("killed")))
}

func TestFreePort(t *testing.T) {
	g := NewWithT(t)
	first, releaseFirst, err := FreePort()
	g.Expect(err).NotTo(HaveOccurred())
	second, releaseSecond, err := FreePort()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first).NotTo(Equal(second))
	g.Expect(releaseFirst()).To(Succeed())
	g.Expect(releaseSecond()).To(Succeed())
}
