// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// weaklings are accounts in kube-system that are not cluster-admin.
var weaklings = map[string]v1alpha1.Access{
	"another role": {ClusterRoleName: "view"},
	"one namespace": {
		Binding: v1alpha1.BindingRoleBindings, ClusterRoleName: "view", Namespaces: []string{"default"},
	},
	"no binding": {Binding: v1alpha1.BindingNone},
}

var _ = Describe("An account in kube-system that is not cluster-admin", func() {
	for name, access := range weaklings {
		It("cannot get at the tokens of the controllers there: "+name, func(ctx SpecContext) {
			h := newHarness(ctx)
			reg := h.register("edge", withAccess(access))
			_, cred := h.credential(reg)
			theft := &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: "kube-system", GenerateName: "theft-",
					Annotations: map[string]string{corev1.ServiceAccountNameKey: "clusterrole-aggregation-controller"},
				},
				Type: corev1.SecretTypeServiceAccountToken,
			}
			Expect(apierrors.IsForbidden(cred.client().Create(ctx, theft))).To(BeTrue())
			Expect(apierrors.IsForbidden(cred.client().List(ctx, &corev1.SecretList{}, client.InNamespace("kube-system")))).To(BeTrue())
		})

		It("has its token replaced and the former one withdrawn with the bootstrap Secret, also after a restart: "+name, func(ctx SpecContext) {
			h := newHarness(ctx)
			reg := h.register("edge", withAccess(access))
			_, before := h.credential(reg)
			h.clock.SetTime(h.clock.Now().Add(2 * time.Minute))
			h.rotate(reg, "2026-12-01T00:00:00Z")
			after := h.rotated(reg, before)
			h.restart()
			h.expectOverlap(reg, before, after)
		})
	}

	It("keeps the admin kubeconfig for as long as a former token has to be withdrawn with it", func(ctx SpecContext) {
		h := newHarness(ctx)
		reg := h.register("edge", withAccess(v1alpha1.Access{ClusterRoleName: "view"}))
		_, before := h.credential(reg)
		h.clock.SetTime(h.clock.Now().Add(2 * time.Minute))
		edit(ctx, h.kube, reg, func(r *v1alpha1.ClusterRegistration) {
			r.Spec.Bootstrap.AfterRegistration = v1alpha1.AfterRegistrationDelete
			r.Annotations = map[string]string{v1alpha1.RotateRequestedAtAnnotation: "2026-12-01T00:00:00Z"}
		})
		after := h.rotated(reg, before)
		Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(kubeconfigSecret(reg)), &corev1.Secret{})).To(Succeed())
		h.expectOverlap(reg, before, after)
		Expect(apierrors.IsNotFound(h.kube.Get(ctx, client.ObjectKeyFromObject(kubeconfigSecret(reg)), &corev1.Secret{}))).To(BeTrue())
		h.restart()
		for range 12 {
			h.must(client.ObjectKeyFromObject(reg))
		}
		h.ready(client.ObjectKeyFromObject(reg))
	})

	It("keeps it for good, and says so, where the token expires", func(ctx SpecContext) {
		h := newHarness(ctx)
		reg := h.register("edge", withAccess(v1alpha1.Access{ClusterRoleName: "view"}), func(r *v1alpha1.ClusterRegistration) {
			r.Spec.Bootstrap.AfterRegistration = v1alpha1.AfterRegistrationDelete
			r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound, ExpirationSeconds: 3600}
		})
		Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(kubeconfigSecret(reg)), &corev1.Secret{})).To(Succeed())
		accepted := conditions.Find(h.now(reg).Status.Conditions, v1alpha1.ConditionBootstrapAccepted)
		Expect([]string{string(accepted.Status), accepted.Reason}).To(Equal([]string{"True", v1alpha1.ReasonAccepted}))
		Expect(accepted.Message).To(Equal("The Secret is kept although `spec.bootstrap.afterRegistration` is Delete: the account cannot replace or withdraw its tokens itself"))
		_, before := h.credential(reg)
		h.expectOverlap(reg, before, h.rotated(reg, before))
	})
})

var _ = Describe("A role that the spec names", func() {
	It("has to exist", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.create("edge", withAccess(v1alpha1.Access{ClusterRoleName: "missing-" + b.namespace}))
		key := client.ObjectKeyFromObject(reg)
		b.settle(key, v1alpha1.ConditionAuthorized, metav1.ConditionFalse, v1alpha1.ReasonReferenceNotFound)
		Expect(b.plane.Get(ctx, client.ObjectKey{Name: bindingName(reg)}, &rbacv1.ClusterRoleBinding{})).NotTo(Succeed())
		plant(ctx, b.plane, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "missing-" + b.namespace}})
		b.ready(key)
	})

	It("is what a check asks about: its loss is found by the next one, also after a restart", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge", withAccess(v1alpha1.Access{ClusterRoleName: "view"}))
		b.restart()
		b.pass(reg)
		for range 3 {
			Expect(b.plane.Delete(ctx, named(&rbacv1.ClusterRoleBinding{}, client.ObjectKey{Name: bindingName(reg)}))).To(Succeed())
			Eventually(func() bool {
				_, cred := b.credential(reg)
				return apierrors.IsForbidden(cred.client().List(ctx, &corev1.PodList{}))
			}).Should(BeTrue())
			b.advance(b.checkPeriod())
			b.pass(reg)
			Expect(b.plane.Get(ctx, client.ObjectKey{Name: bindingName(reg)}, &rbacv1.ClusterRoleBinding{})).To(Succeed())
		}
	})
})

var _ = Describe("An object whose marker somebody has removed", func() {
	for _, o := range []struct {
		name   string
		target target
	}{{"ServiceAccount", account}, {"ClusterRoleBinding", clusterBinding}, {"claim", claim}, {"Role", selfRole}} {
		It("is marked again by an audit: "+o.name, func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.bringUp("edge")
			strips := map[string]func(client.Object){"annotations": func(obj client.Object) { obj.SetAnnotations(nil) }}
			if o.name != "claim" {
				// A claim without its marker has nothing in it that could be ours.
				strips["both"] = func(obj client.Object) { obj.SetAnnotations(nil); obj.SetLabels(nil) }
			}
			for what, strip := range strips {
				By(what)
				before := o.target.find(b, reg)
				Expect(b.plane.Get(ctx, client.ObjectKeyFromObject(before), before)).To(Succeed())
				edit(ctx, b.plane, o.target.find(b, reg), strip)
				for range 11 {
					b.advance(b.checkPeriod())
					b.pass(reg)
				}
				after := o.target.find(b, reg)
				Expect(b.plane.Get(ctx, client.ObjectKeyFromObject(after), after)).To(Succeed())
				Expect(after.GetUID()).To(Equal(before.GetUID()))
				Expect(after.GetLabels()).To(Equal(before.GetLabels()))
				Expect(after.GetAnnotations()).To(Equal(before.GetAnnotations()))
			}
			b.ready(client.ObjectKeyFromObject(reg))
		})
	}
})
