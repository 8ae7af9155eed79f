// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

var _ = Describe("A registration whose bootstrap Secret is not what it was", func() {
	It("is cleaned up where it was registered when the Secret leads to another cluster", func(ctx SpecContext) {
		h := newHarness(ctx, patient)
		reg := h.register("edge")
		secret := &corev1.Secret{}
		Expect(h.kube.Get(ctx, client.ObjectKey{Namespace: h.namespace, Name: "edge-kubeconfig"}, secret)).To(Succeed())
		secret.Data["kubeconfig"] = control.Kubeconfig()
		Expect(h.kube.Update(ctx, secret)).To(Succeed())

		Expect(h.kube.Delete(ctx, reg)).To(Succeed())
		h.gone(client.ObjectKeyFromObject(reg))
		h.expectNothingLeft(reg)
		close(h.recorder.Events)
		for e := range h.recorder.Events {
			Expect(e).NotTo(ContainSubstring(v1alpha1.ReasonRevocationIncomplete))
		}
	})

	It("keeps the rights that it has when it may not make those that the spec asks for", func(ctx SpecContext) {
		h := newHarness(ctx)
		reg := h.register("edge", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.Bootstrap.AfterRegistration = v1alpha1.AfterRegistrationDelete
		})
		key := client.ObjectKeyFromObject(reg)
		_, cred := h.credential(reg)
		now := h.now(reg)
		patch := client.MergeFrom(now.DeepCopy())
		now.Spec.Access = &v1alpha1.Access{ClusterRoleName: "view"}
		Expect(h.kube.Patch(ctx, now, patch)).To(Succeed())

		h.settle(key, v1alpha1.ConditionAuthorized, metav1.ConditionFalse, v1alpha1.ReasonBootstrapRequired)
		binding := &rbacv1.ClusterRoleBinding{}
		name := client.ObjectKey{Name: "ccluster:kube-system:" + reg.Spec.ServiceAccount.Name}
		Expect(h.plane.Get(ctx, name, binding)).To(Succeed())
		Expect(binding.RoleRef.Name).To(Equal("cluster-admin"))
		Expect(cred.client().List(ctx, &corev1.NodeList{})).To(Succeed())

		By("giving it an admin kubeconfig again")
		h.bootstrap("edge-kubeconfig", infra.Kubeconfig())
		h.ready(key)
		Expect(h.plane.Get(ctx, name, binding)).To(Succeed())
		Expect(binding.RoleRef.Name).To(Equal("view"))
	})
})
