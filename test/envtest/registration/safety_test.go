// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
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

	It("does not hold up a change that its own token is enough for", func(ctx SpecContext) {
		b := newBench(ctx)
		expired := b.asUser(ruleFor("*", []string{"*"}, "*"))
		b.kubeconfig = expired
		reg := b.bringUp("edge")
		_, before := b.credential(reg)
		By("taking the administrator's rights away")
		roles := &rbacv1.ClusterRoleBindingList{}
		Expect(b.plane.List(ctx, roles)).To(Succeed())
		for i := range roles.Items {
			if strings.HasPrefix(roles.Items[i].Name, "user-") {
				Expect(b.plane.Delete(ctx, &roles.Items[i])).To(Succeed())
			}
		}
		b.change(reg, func(s *v1alpha1.ClusterRegistrationSpec) {
			s.ClusterLabels = map[string]v1alpha1.LabelValue{"region": "north"}
		})
		b.advance(b.checkPeriod())
		b.ready(client.ObjectKeyFromObject(reg))
		secret, after := b.credential(reg)
		Expect(secret.Labels).To(HaveKeyWithValue("region", "north"))
		Expect(after).To(Equal(before))
	})

	It("is noticed although it was changed while no manager ran", func(ctx SpecContext) {
		b := newBench(ctx)
		options := registration.Options{ControlPlaneID: b.options.ControlPlaneID, ReadyWithoutPlane: true}
		stop := startManager(ctx, options)
		secret := b.bootstrap("edge-kubeconfig", infra.Kubeconfig())
		edit(ctx, b.kube, secret, func(s *corev1.Secret) { s.Labels = map[string]string{v1alpha1.BootstrapLabel: "true"} })
		reg := b.registration("edge")
		Expect(b.kube.Create(ctx, reg)).To(Succeed())
		b.removeAfter(reg)
		ready := func(g Gomega) {
			b.refresh(reg)
			g.Expect(isReady(reg)).To(BeTrue(), "%v", reg.Status.Conditions)
		}
		Eventually(ready).Should(Succeed())
		stop()

		// The same cluster and user, and yet another file.
		edit(ctx, b.kube, secret, func(s *corev1.Secret) { s.Data["kubeconfig"] = append([]byte("# renewed\n"), infra.Kubeconfig()...) })
		_, before := b.credential(reg)
		stop = startManager(ctx, options)
		Eventually(func(g Gomega) {
			_, now := b.credential(reg)
			g.Expect(now.Config.BearerToken).NotTo(Equal(before.Config.BearerToken))
		}).Should(Succeed())
		Eventually(ready).Should(Succeed())
		stop()
	})
})
