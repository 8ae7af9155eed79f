// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const waitForProcess = 10 * time.Second

// run starts a shell script as a child and returns its output too.
func run(t *testing.T, script string) (*child, *bufio.Reader) {
	t.Helper()
	g := NewWithT(t)
	reader, writer := io.Pipe()
	c, err := startChild(childSpec{
		name:    "script",
		binary:  "/bin/sh",
		args:    []string{"-c", script},
		dir:     t.TempDir(),
		logFile: filepath.Join(t.TempDir(), "log"),
		log:     writer,
	})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		g.Expect(reader.Close()).To(Succeed())
		g.Expect(c.kill()).To(Succeed())
	})
	return c, bufio.NewReader(reader)
}

func TestChildThatEndsReportsItsLastOutput(t *testing.T) {
	g := NewWithT(t)
	c, out := run(t, "echo cannot listen >&2; exit 3")
	g.Expect(out.ReadString('\n')).To(Equal("cannot listen\n"))
	g.Eventually(c.done).WithTimeout(waitForProcess).Should(BeClosed())
	g.Expect(c.exited()).To(MatchError("sh ended: exit status 3; last output:\ncannot listen"))
	g.Expect(c.kill()).To(Succeed(), "an ended child needs no killing")
}

func TestChildThatEndsWithoutAnError(t *testing.T) {
	g := NewWithT(t)
	c, _ := run(t, "exit 0")
	g.Eventually(c.done).WithTimeout(waitForProcess).Should(BeClosed())
	g.Expect(c.exited()).To(MatchError(HavePrefix("sh ended: exit status 0")))
}

func TestKillDoesNotAsk(t *testing.T) {
	g := NewWithT(t)
	c, out := run(t, `trap '' TERM INT; echo ready; while :; do sleep 0.05; done`)
	g.Expect(out.ReadString('\n')).To(Equal("ready\n"))
	g.Expect(c.exited()).To(Succeed())
	g.Expect(c.kill()).To(Succeed())
	g.Expect(c.exited()).To(MatchError(HavePrefix("sh ended: signal: killed")))
	g.Expect(c.kill()).To(Succeed())
}

func TestNoChildNeedsNoKilling(t *testing.T) {
	var none *child
	NewWithT(t).Expect(none.kill()).To(Succeed())
}

func TestKillReachesTheWholeGroup(t *testing.T) {
	g := NewWithT(t)
	c, out := run(t, `sleep 600 & echo $!; wait`)
	line, err := out.ReadString('\n')
	g.Expect(err).NotTo(HaveOccurred())
	grandchild, err := strconv.Atoi(strings.TrimSpace(line))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(syscall.Kill(grandchild, 0)).To(Succeed())
	g.Expect(c.kill()).To(Succeed())
	g.Eventually(func() bool { return running(grandchild) }).WithTimeout(waitForProcess).Should(BeFalse())
}

func TestMissingProgramIsAnError(t *testing.T) {
	g := NewWithT(t)
	_, err := startChild(childSpec{name: "etcd", binary: "/nowhere/etcd", dir: t.TempDir(), logFile: filepath.Join(t.TempDir(), "log")})
	g.Expect(err).To(MatchError(HavePrefix("start etcd: ")))
}

// running is false for a process that is gone or only waits to be collected.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !os.IsNotExist(err)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
