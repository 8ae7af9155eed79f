// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

const watcher = "watcher"

// allow lets the watcher see the ConfigMaps of a namespace.
func allow(ctx SpecContext, namespace string) *rbacv1.RoleBinding {
	GinkgoHelper()
	about := metav1.ObjectMeta{Namespace: namespace, Name: watcher}
	role := &rbacv1.Role{ObjectMeta: about, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"}},
	}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: about,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: watcher},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: watcher}},
	}
	Expect(admin.Create(ctx, role)).To(Succeed())
	Expect(admin.Create(ctx, binding)).To(Succeed())
	return binding
}

var _ = Describe("A watch that is no longer allowed", func() {
	AfterEach(func() { DeferCleanup(nothingRuns) })

	It("ends when it would be taken up again, and is not tried for ever", func(ctx SpecContext) {
		c := newClient(ending("1"), func(config *rest.Config) { config.Impersonate.UserName = watcher })
		binding := allow(ctx, c.Namespace())
		Eventually(func() error {
			_, err := c.List(ctx, configMaps, "")
			return err
		}).Should(Succeed())
		owner, err := k8s.NewClient(k8s.Config{REST: plane.Config(), Namespace: c.Namespace()})
		Expect(err).NotTo(HaveOccurred())
		// A refusal is no expiry: nothing is listed again.
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", Relist: true})
		put(ctx, owner, "a", "1")
		Eventually(w.events).Should(Equal([]string{"ADDED a 1"}))
		Expect(admin.Delete(ctx, binding)).To(Succeed())
		_, err = w.end()
		Expect(err).To(MatchError(HavePrefix("k8s: GET /api/v1/namespaces/" + c.Namespace() + "/configmaps: 403 Forbidden: ")))
		Expect(err).NotTo(MatchError(k8s.ErrExpired))
	})
})
