// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode_test

import (
	"context"
	"os"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"

	"github.com/ccluster-go/ccluster-go/internal/localnode"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var _ = Describe("The simulated node", func() {
	var (
		tmp string
		on  *kubernetes.Clientset
	)
	BeforeEach(func() {
		tmp = GinkgoT().TempDir()
		GinkgoT().Setenv("TMPDIR", tmp)
		var err error
		on, err = kubernetes.NewForConfig(other.Config())
		Expect(err).NotTo(HaveOccurred())
	})

	start := func(ctx context.Context, line string) *localnode.Node {
		GinkgoHelper()
		n, err := localnode.Start(ctx, other, localnode.Options{
			Assets: assets(), Scheduler: true, Logs: map[string][]string{"c": {line}},
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(n.Stop) // a spec that fails leaves nothing
		return n
	}
	log := func(ctx context.Context, p *corev1.Pod) ([]byte, error) {
		return on.CoreV1().Pods(namespace).GetLogs(p.Name, &corev1.PodLogOptions{}).DoRaw(ctx)
	}
	// The kernel cuts a program's name to 15 characters.
	both := And(HaveLen(2), HaveKey("kwok"), HaveKey("kube-scheduler"))

	It("leaves nothing behind, and can be had again", func(ctx SpecContext) {
		for _, line := range []string{"first", "second"} {
			n := start(ctx, line)
			Expect(testenv.Processes(tmp)).To(both)
			p := reach(ctx, on, create(ctx, on, pod("c")), corev1.PodSucceeded)
			text, err := log(ctx, p)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(text)).To(Equal(line + "\n"))

			Expect(n.Stop()).To(Succeed())
			Expect(testenv.Processes(tmp)).To(BeEmpty())
			Expect(os.ReadDir(tmp)).To(BeEmpty())
			_, err = log(ctx, p)
			Expect(err).To(Satisfy(apierrors.IsInternalError), "nobody serves it")
			Expect(n.Stop()).To(Succeed(), "stopping twice is fine")
		}
	})

	It("outlives the end of its processes", func(ctx SpecContext) {
		n := start(ctx, "line")
		before, err := testenv.Processes(tmp)
		Expect(err).NotTo(HaveOccurred())
		Expect(before).To(both)
		for _, pid := range before {
			Expect(syscall.Kill(pid, syscall.SIGKILL)).To(Succeed())
		}
		p := reach(ctx, on, create(ctx, on, pod("c")), corev1.PodSucceeded)
		Eventually(func() ([]byte, error) { return log(ctx, p) }).Should(BeEquivalentTo("line\n"))
		after, err := testenv.Processes(tmp)
		Expect(err).NotTo(HaveOccurred())
		Expect(after).To(both)
		for name, pid := range before {
			Expect(after).NotTo(HaveKeyWithValue(name, pid))
		}
		Expect(n.Stop()).To(Succeed())
		Expect(testenv.Processes(tmp)).To(BeEmpty())
	})
})
