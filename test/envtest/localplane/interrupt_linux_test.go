// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

// The kernel cuts a program's name to 15 characters.
var all = SatisfyAll(HaveLen(3), HaveKey("etcd"), HaveKey("kube-apiserver"), HaveKey("kube-controller"))

// parent is a process of its own that runs a plane.
type parent struct {
	cmd *exec.Cmd
	out *bufio.Reader
	tmp string
}

func startParent(ctx context.Context, mode string) *parent {
	GinkgoHelper()
	tmp := ownTempDir()
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), childVariable+"="+mode)
	cmd.Stderr = GinkgoWriter
	out, err := cmd.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(cmd.Start()).To(Succeed())
	p := &parent{cmd: cmd, out: bufio.NewReader(out), tmp: tmp}
	DeferCleanup(func() {
		_ = cmd.Process.Kill() // for a spec that failed on its way
		_ = cmd.Wait()
	})
	return p
}

func (p *parent) awaitReady() {
	GinkgoHelper()
	Expect(p.out.ReadString('\n')).To(Equal("ready\n"))
	Expect(testenv.Processes(p.tmp)).To(all)
}

// end signals the parent and returns how it ended.
func (p *parent) end(sig syscall.Signal) *os.ProcessState {
	GinkgoHelper()
	Expect(p.cmd.Process.Signal(sig)).To(Succeed())
	_ = p.cmd.Wait() // the state tells more
	return p.cmd.ProcessState
}

var _ = Describe("the child processes", func() {
	DescribeTable("end with a parent that stops its plane",
		func(ctx SpecContext, sig syscall.Signal) {
			p := startParent(ctx, careful)
			p.awaitReady()
			Expect(p.end(sig).ExitCode()).To(BeZero())
			Expect(testenv.Processes(p.tmp)).To(BeEmpty())
			Expect(os.ReadDir(p.tmp)).To(BeEmpty())
		},
		Entry("on an interrupt", syscall.SIGINT),
		Entry("on a termination", syscall.SIGTERM),
	)

	It("end with a parent that is interrupted while its plane starts", func(ctx SpecContext) {
		p := startParent(ctx, careful)
		Eventually(func() (map[string]int, error) { return testenv.Processes(p.tmp) }).Should(HaveKey("kube-apiserver"))
		state := p.end(syscall.SIGINT)
		Expect(state.ExitCode()).To(Equal(3))
		Expect(testenv.Processes(p.tmp)).To(BeEmpty())
		Expect(os.ReadDir(p.tmp)).To(BeEmpty())
	})

	DescribeTable("end with a parent that has no chance to stop its plane",
		func(ctx SpecContext, sig syscall.Signal) {
			p := startParent(ctx, careless)
			p.awaitReady()
			Expect(p.end(sig).Sys()).To(Equal(syscall.WaitStatus(sig)))
			Eventually(func() (map[string]int, error) { return testenv.Processes(p.tmp) }).Should(BeEmpty())

			left, err := os.ReadDir(p.tmp)
			Expect(err).NotTo(HaveOccurred())
			Expect(left).To(HaveLen(1), "nobody was left to remove the work folder")
			next, err := localplane.Start(ctx, localplane.Options{WithoutControllerManager: true})
			Expect(err).NotTo(HaveOccurred())
			Expect(filepath.Join(p.tmp, left[0].Name())).NotTo(BeADirectory(), "the next plane removes it")
			Expect(next.Stop(ctx)).To(Succeed())
		},
		Entry("when it is killed", syscall.SIGKILL),
		Entry("on an interrupt it does not handle", syscall.SIGINT),
	)

	It("are missed when one of them dies", func(ctx SpecContext) {
		tmp := ownTempDir()
		p, err := localplane.Start(ctx, localplane.Options{Name: "fragile", WithoutControllerManager: true})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx SpecContext) { Expect(p.Stop(ctx)).To(Succeed()) })
		Expect(p.Check()).To(Succeed())

		running, err := testenv.Processes(tmp)
		Expect(err).NotTo(HaveOccurred())
		Expect(running).To(HaveKey("kube-apiserver"))
		Expect(syscall.Kill(running["kube-apiserver"], syscall.SIGKILL)).To(Succeed())
		Eventually(p.Check).Should(MatchError(ContainSubstring("plane fragile: kube-apiserver ended: signal: killed")))
		Expect(p.StartAPIServer(ctx)).To(Succeed(), "it can be started again")
		Expect(p.Check()).To(Succeed())
		Expect(whoAmI(ctx, clientset(p.Config()))).To(Equal("kubernetes-admin"))
	})
})
