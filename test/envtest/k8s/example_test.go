// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"os"
	"os/exec"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var _ = Describe("The example", func() {
	It("starts a Pod, waits for it to finish, prints its log and cleans up", func(ctx SpecContext) {
		dir := GinkgoT().TempDir()
		program := filepath.Join(dir, "hello")
		build, err := exec.CommandContext(ctx, "go", "build", "-o", program, "../../../pkg/k8s/examples/hello").CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", build)

		namespace := namespaceForPods()
		config := plane.Config()
		text, err := localplane.Kubeconfig("example", config)
		Expect(err).NotTo(HaveOccurred())
		kubeconfig := filepath.Join(dir, "kubeconfig")
		Expect(os.WriteFile(kubeconfig, text, 0o600)).To(Succeed())
		set := exec.CommandContext(ctx, kubectl(), "config", "set-context", "--current", "--namespace", namespace)
		set.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
		Expect(set.Run()).To(Succeed())

		hello := exec.CommandContext(ctx, program)
		hello.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
		printed, err := hello.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "%s", printed)
		Expect(string(printed)).To(HavePrefix("Succeeded: hi\n"))

		client, err := k8s.NewClient(k8s.Config{REST: config, Namespace: namespace})
		Expect(err).NotTo(HaveOccurred())
		Eventually(func() ([]k8s.Value, error) {
			pods, err := client.List(ctx, k8s.Pods, "")
			return pods.Items, err
		}).Should(BeEmpty())
	})
})

func kubectl() string {
	GinkgoHelper()
	path, err := localplane.Kubectl("")
	Expect(err).NotTo(HaveOccurred())
	return path
}
