// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

func TestMainGivesARunningPlane(t *testing.T) {
	g := NewWithT(t)
	g.Expect(plane.Name()).To(Equal("main"))
	g.Expect(plane.Check()).To(Succeed())
	c, err := client.New(plane.Config(), client.Options{})
	g.Expect(err).NotTo(HaveOccurred())
	name := testenv.Namespace(t, c)
	var namespace corev1.Namespace
	g.Expect(c.Get(t.Context(), client.ObjectKey{Name: name}, &namespace)).To(Succeed())
	g.Expect(namespace.DeletionTimestamp).To(BeNil())
}

func TestPlanesLiveAsLongAsTheirTest(t *testing.T) {
	g := NewWithT(t)
	var own *localplane.Plane
	t.Run("running", func(t *testing.T) {
		own = testenv.Planes(t, localplane.Options{WithoutControllerManager: true})[0]
		NewWithT(t).Expect(own.Check()).To(Succeed())
	})
	g.Expect(own.Check()).To(MatchError(localplane.ErrStopped))
	g.Expect(plane.Check()).To(Succeed(), "another test's plane is not its business")
}

func TestInterruptedRunStopsItsPlanes(t *testing.T) {
	g := NewWithT(t)
	tmp := t.TempDir()
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	run := exec.CommandContext(t.Context(), self)
	run.Env = append(os.Environ(), waitVariable+"=1", "TMPDIR="+tmp)
	out, err := run.StdoutPipe()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(run.Start()).To(Succeed())
	g.Expect(bufio.NewReader(out).ReadString('\n')).To(Equal("ready\n"))
	g.Expect(os.ReadDir(tmp)).To(HaveLen(1))

	g.Expect(run.Process.Signal(syscall.SIGINT)).To(Succeed())
	var exit *exec.ExitError
	g.Expect(errors.As(run.Wait(), &exit)).To(BeTrue())
	g.Expect(exit.ExitCode()).To(Equal(130))
	g.Expect(os.ReadDir(tmp)).To(BeEmpty())
}
