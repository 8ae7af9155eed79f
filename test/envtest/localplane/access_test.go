// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// identity is the UID that tells one cluster from another.
func identity(ctx SpecContext, p *localplane.Plane) types.UID {
	GinkgoHelper()
	namespace, err := clientset(p.Config()).CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	return namespace.UID
}

var _ = Describe("access", func() {
	It("is the administrator's with Config, without a rate limit", func(ctx SpecContext) {
		cfg := full.Config()
		Expect(whoAmI(ctx, clientset(cfg))).To(Equal("kubernetes-admin"))
		Expect(cfg.QPS).To(BeEquivalentTo(-1))
		cfg.Host = "https://elsewhere"
		Expect(full.Config().Host).To(Equal(full.Server()))
	})

	It("is the administrator's with Kubeconfig and kubectl", func(ctx SpecContext) {
		kubectl, err := localplane.Kubectl("")
		Expect(err).NotTo(HaveOccurred())
		file := filepath.Join(GinkgoT().TempDir(), "kubeconfig")
		Expect(os.WriteFile(file, full.Kubeconfig(), 0o600)).To(Succeed())
		run := func(args ...string) string {
			GinkgoHelper()
			out, err := exec.CommandContext(ctx, kubectl, append([]string{"--kubeconfig", file}, args...)...).CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), string(out))
			return strings.TrimSpace(string(out))
		}
		Expect(run("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")).To(Equal("kubernetes-admin"))
		Expect(run("config", "current-context")).To(Equal("full"))
		version, err := clientset(full.Config()).Discovery().ServerVersion()
		Expect(err).NotTo(HaveOccurred())
		Expect(version.GitVersion).To(MatchRegexp(`^v1\.[1-9][0-9]+\.[0-9]+$`), "the build stamps it")
		Expect(run("version", "-o", "yaml")).To(ContainSubstring("gitVersion: " + version.GitVersion))
	})

	It("of another user is what RBAC gives", func(ctx SpecContext) {
		admin, ns := clientset(full.Config()), namespace()
		cfg, err := full.AddUser("jane", "viewers")
		Expect(err).NotTo(HaveOccurred())
		jane := clientset(cfg)
		Expect(whoAmI(ctx, jane)).To(Equal("jane"))
		read := func() error {
			_, err := jane.CoreV1().ConfigMaps(ns).List(ctx, metav1.ListOptions{})
			return err
		}
		Expect(read()).To(Satisfy(apierrors.IsForbidden))
		_, err = admin.RbacV1().RoleBindings(ns).Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "viewers"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "viewers"}},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(read).Should(Succeed())
	})

	It("works by name and by address, not across planes", func(ctx SpecContext) {
		Expect(full.Server()).NotTo(Equal(bare.Server()))
		Expect(identity(ctx, full)).NotTo(Equal(identity(ctx, bare)))

		cfg := full.Config()
		cfg.Host = strings.Replace(full.Server(), "127.0.0.1", "localhost", 1)
		Expect(whoAmI(ctx, clientset(cfg))).To(Equal("kubernetes-admin"))
		cfg.Host = bare.Server()
		_, err := whoAmI(ctx, clientset(cfg))
		Expect(err).To(MatchError(ContainSubstring("certificate signed by unknown authority")))
	})
})
