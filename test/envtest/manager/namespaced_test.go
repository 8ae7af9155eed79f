// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var _ = Describe("The manager with the rights of config/namespaced", func() {
	It("works in its namespace and knows of no other", func(ctx SpecContext) {
		const tenant = "tenant-a"
		other := testenv.Namespace(GinkgoTB(), control)
		Expect(control.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tenant}})).To(Succeed())
		// Beside config/default: the prefix keeps the two apart.
		objects := render(overlay("namespaced", "namePrefix: ns-\n"))
		control.apply(ctx, objects)
		const name = "ns-" + managerAccount
		for _, namespace := range []string{"", other, systemNamespace} {
			Expect(mayListSecrets(ctx, name, namespace)).To(BeFalse(), namespace)
		}
		Expect(mayListSecrets(ctx, name, tenant)).To(BeTrue())

		elsewhere := registration(ctx, control, other, "edge-2", account("elsewhere"), retained)
		p := start(ctx, control, control.token(ctx, systemNamespace, name), append(arguments(objects), allowLoopback)...)
		reg := ready(ctx, control, registration(ctx, control, tenant, "edge-1", account("namespaced"), retained))
		Expect(whoAmI(ctx, connect(stored(ctx, control, reg)))).To(Equal("system:serviceaccount:kube-system:namespaced"))

		Consistently(func(g Gomega, ctx context.Context) {
			g.Expect(control.Get(ctx, client.ObjectKeyFromObject(elsewhere), elsewhere)).To(Succeed())
			g.Expect(elsewhere.Status).To(Equal(v1alpha1.ClusterRegistrationStatus{}))
			g.Expect(elsewhere.Finalizers).To(BeEmpty())
		}).WithContext(ctx).Should(Succeed())
		Expect(control.Delete(ctx, elsewhere)).To(Succeed())
		expectInArgoCD(ctx, reg, p)
	})
})

// mayListSecrets asks the API server what a ServiceAccount of the manager's namespace may do in a
// namespace, or in all.
func mayListSecrets(ctx context.Context, account, namespace string) bool {
	GinkgoHelper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:               "system:serviceaccount:" + systemNamespace + ":" + account,
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "secrets", Namespace: namespace},
	}}
	Expect(control.Create(ctx, review)).To(Succeed())
	return review.Status.Allowed
}

func metav1Of(o client.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: o.GetNamespace(), Name: o.GetName()}
}
