// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var _ = Describe("The manager's endpoints", func() {
	It("tell that it lives, and that it is ready", func(ctx SpecContext) {
		p := start(ctx, control, control.token(ctx, systemNamespace, managerAccount))
		Expect(status(ctx, http.DefaultClient, "http://"+p.health+"/healthz", "")).To(Equal(http.StatusOK))
		Expect(status(ctx, http.DefaultClient, "http://"+p.health+"/readyz", "")).To(Equal(http.StatusOK))
	})

	It("tell that it is not ready while its caches are not filled", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		// An account that may read kube-system's UID, but nothing to fill a cache with.
		token := newAccount(ctx, namespace, "powerless", "ccluster-manager-role-missing")
		p := launch(ctx, control, control.as(token), "--leader-elect=false", "--control-plane-id=cp-1")
		live := "http://" + p.health
		Eventually(status).WithContext(ctx).WithArguments(http.DefaultClient, live+"/healthz", "").Should(Equal(http.StatusOK))
		Expect(status(ctx, http.DefaultClient, live+"/readyz", "")).To(Equal(http.StatusInternalServerError))
		Consistently(p.exited).ShouldNot(BeClosed())
	})

	It("give metrics to whom the control plane authorizes only", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		reader := newAccount(ctx, namespace, "reader", "ccluster-metrics-reader")
		stranger := newAccount(ctx, namespace, "stranger", "ccluster-clusterregistration-viewer")
		p := start(ctx, control, control.token(ctx, systemNamespace, managerAccount))
		url := "https://" + p.metrics + "/metrics"

		Eventually(status).WithContext(ctx).WithArguments(selfSigned(), url, "").Should(Equal(http.StatusUnauthorized))
		Expect(status(ctx, selfSigned(), url, "invalid")).To(BeNumerically(">=", http.StatusBadRequest))
		Expect(status(ctx, selfSigned(), url, stranger)).To(Equal(http.StatusForbidden))
		code, body, err := get(ctx, selfSigned(), url, reader)
		Expect(err).NotTo(HaveOccurred())
		Expect(code).To(Equal(http.StatusOK))
		Expect(body).To(ContainSubstring(`leader_election_master_status{name="ccluster-manager"}`))
		Expect(status(ctx, http.DefaultClient, "http://"+p.metrics+"/metrics", reader)).NotTo(Equal(http.StatusOK), "plain HTTP")
	})

	It("give metrics to everyone if that is asked for", func(ctx SpecContext) {
		p := start(ctx, control, control.token(ctx, systemNamespace, managerAccount), "--metrics-insecure")
		Eventually(status).WithContext(ctx).WithArguments(http.DefaultClient, "http://"+p.metrics+"/metrics", "").Should(Equal(http.StatusOK))
	})
})

// newAccount makes a ServiceAccount of the control plane, bound to a ClusterRole for the time of the
// spec, and returns a token of it.
func newAccount(ctx SpecContext, namespace, name, role string) string {
	GinkgoHelper()
	Expect(control.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})).To(Succeed())
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-" + name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}
	Expect(control.Create(ctx, binding)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(control.Delete(ctx, binding)).To(Succeed()) })
	return control.token(ctx, namespace, name)
}
