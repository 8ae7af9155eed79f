// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"context"
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	policyv1ac "k8s.io/client-go/applyconfigurations/policy/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// racing is a client whose first apply comes right after rival has been created.
func racing(rival client.Object) client.Client {
	done := false
	return interceptor.NewClient(kube, interceptor.Funcs{
		Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			if !done {
				done = true
				if err := c.Create(ctx, rival, client.FieldOwner("rival")); err != nil {
					return err
				}
			}
			return c.Apply(ctx, obj, opts...)
		},
	})
}

// untouched compares all that a reader of the object sees.
func untouched[T client.Object](ctx SpecContext, before T) {
	GinkgoHelper()
	after := reload(ctx, before)
	Expect(managers(after)).To(Equal(managers(before)))
	before = before.DeepCopyObject().(T)
	for _, obj := range []client.Object{before, after} {
		obj.SetResourceVersion("")
		obj.SetManagedFields(nil)
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // comes and goes with typed reads
	}
	Expect(after).To(Equal(before))
}

var _ = Describe("Create", func() {
	It("makes an absent object, and accepts it again", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		intent := corev1ac.ServiceAccount("robot", ns).WithLabels(labels())
		made, again := &corev1.ServiceAccount{}, &corev1.ServiceAccount{}
		Expect(one.Create(ctx, intent, made)).To(Succeed())
		Expect(made.Labels).To(Equal(labels()))
		Expect(managers(made)).To(ConsistOf("one"))
		Expect(one.Create(ctx, intent, again)).To(Succeed())
		Expect(again).To(Equal(made))
	})

	It("backs out of an object that a rival made first", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		rival := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{
			Name: "robot", Namespace: ns,
			Labels: map[string]string{"theirs": "yes", "same": "yes"}, Finalizers: []string{"theirs.example.com/hold"},
		}}
		DeferCleanup(func(ctx SpecContext) { edit(ctx, rival, `{"metadata":{"finalizers":null}}`) })
		intent := corev1ac.ServiceAccount("robot", ns).
			WithLabels(map[string]string{"ours": "yes", "same": "yes"}).
			WithFinalizers("ours.example.com/hold").
			WithSecrets(corev1ac.ObjectReference().WithName("ours")).
			WithAutomountServiceAccountToken(false)
		into := &corev1.ServiceAccount{}

		err := applierOn(racing(rival), "one").Create(ctx, intent, into)
		var foreign *apply.ErrForeign
		Expect(errors.As(err, &foreign)).To(BeTrue(), "%v", err)
		Expect(*foreign).To(Equal(apply.ErrForeign{Kind: "ServiceAccount", Namespace: ns, Name: "robot", Managers: []string{"rival"}}))
		Expect(into).To(Equal(&corev1.ServiceAccount{}))
		untouched(ctx, rival)
	})

	It("does not touch an object where a rival has set the same field", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		rival := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "credentials", Namespace: ns}, Data: map[string][]byte{"token": []byte("theirs")}}
		intent := corev1ac.Secret("credentials", ns).WithData(map[string][]byte{"token": []byte("ours"), "more": []byte("ours")})

		err := applierOn(racing(rival), "one").Create(ctx, intent, nil)
		var foreign *apply.ErrForeign
		Expect(errors.As(err, &foreign)).To(BeTrue(), "%v", err)
		Expect(foreign.Managers).To(Equal([]string{"rival"}))
		Expect(apierrors.IsConflict(err)).To(BeTrue())
		Expect(apply.Conflicts(err)).To(Equal([]apply.Conflict{{Field: ".data.token", Manager: "rival"}}))
		Expect(err.Error()).NotTo(ContainSubstring("ours"))
		Expect(reload(ctx, rival).ResourceVersion).To(Equal(rival.ResourceVersion))
		untouched(ctx, rival)
	})

	It("tells a foreign object whose managedFields were cleared", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		rival := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: ns}, Data: map[string]string{"theirs": "1"}}
		Expect(kube.Create(ctx, rival)).To(Succeed())
		edit(ctx, rival, `{"metadata":{"managedFields":[{}]}}`)

		err := applier("one").Create(ctx, corev1ac.ConfigMap("settings", ns).WithData(map[string]string{"ours": "1"}), nil)
		var foreign *apply.ErrForeign
		Expect(errors.As(err, &foreign)).To(BeTrue(), "%v", err)
		Expect(foreign.Managers).To(Equal([]string{"before-first-apply"}))
		Expect(reload(ctx, rival).Data).To(Equal(map[string]string{"theirs": "1"}))
	})

	It("tells an object that the API server itself made", func(ctx SpecContext) {
		view := &rbacv1.ClusterRole{}
		Expect(kube.Get(ctx, client.ObjectKey{Name: "system:discovery"}, view)).To(Succeed())
		err := applier("one").Create(ctx, rbacv1ac.ClusterRole("system:discovery").WithLabels(labels()), nil)
		var foreign *apply.ErrForeign
		Expect(errors.As(err, &foreign)).To(BeTrue(), "%v", err)
		Expect(foreign.Managers).To(Equal([]string{"kube-apiserver"}))
		untouched(ctx, view)
	})

	It("accepts an object on which others only report", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		intent := widgetIntent(ns, "w", map[string]any{"size": int64(1)})
		live := newWidget(ns, "w")
		Expect(one.Create(ctx, intent, live)).To(Succeed())
		live.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
		Expect(kube.Status().Update(ctx, live, client.FieldOwner("reporter"))).To(Succeed())
		Expect(one.Create(ctx, intent, live)).To(Succeed())
		Expect(managers(live)).To(ConsistOf("one", "reporter/status"))
	})

	for kind, s := range samples() {
		It("finds itself alone on a new "+kind, func(ctx SpecContext) {
			ns := newNamespace(ctx)
			live := s.live.DeepCopyObject().(client.Object)
			Expect(applier("one").Create(ctx, s.intent(ns), live)).To(Succeed())
			Expect(managers(live)).To(ConsistOf("one"))
			Expect(applier("one").Unchanged(live, s.intent(ns), "")).To(BeTrue())
		})
	}
})

var _ = Describe("a UID in the intent", func() {
	It("keeps a deleted object deleted", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		intent := func() *corev1ac.ConfigMapApplyConfiguration {
			return corev1ac.ConfigMap("settings", ns).WithData(map[string]string{"k": "v"})
		}
		live := &corev1.ConfigMap{}
		Expect(one.Create(ctx, intent(), live)).To(Succeed())
		Expect(kube.Delete(ctx, live)).To(Succeed())

		err := one.Object(ctx, intent().WithUID(live.UID), nil)
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		Expect(apply.Conflicts(err)).To(BeNil())

		By("Ensure, which sends the UID it saw")
		_, err = one.Ensure(ctx, live, intent().WithLabels(labels()), nil)
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		Expect(apierrors.IsNotFound(kube.Get(ctx, client.ObjectKeyFromObject(live), &corev1.ConfigMap{}))).To(BeTrue())
	})

	It("spares a namesake", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		namesake := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: ns}, Data: map[string]string{"k": "theirs"}}
		Expect(kube.Create(ctx, namesake, client.FieldOwner("rival"))).To(Succeed())
		intent := corev1ac.ConfigMap("settings", ns).WithUID(otherUID).WithData(map[string]string{"k": "ours"})

		err := one.Object(ctx, intent, nil)
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		Expect(apply.Conflicts(err)).To(BeNil())
		untouched(ctx, namesake)
	})

	It("spares the status of a namesake of a built-in kind", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		live := &policyv1.PodDisruptionBudget{}
		Expect(one.Object(ctx, policyv1ac.PodDisruptionBudget("budget", ns).WithSpec(policyv1ac.PodDisruptionBudgetSpec()), live)).To(Succeed())
		err := one.Status(ctx, policyv1ac.PodDisruptionBudget("budget", ns).WithUID(otherUID).
			WithStatus(policyv1ac.PodDisruptionBudgetStatus().WithExpectedPods(3)), nil)
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		untouched(ctx, live)
	})

	It("is told, but not heeded, for the status of a custom kind", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		status := newWidget(ns, "w")
		status.SetUID(otherUID)
		status.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
		intent := client.ApplyConfigurationFromUnstructured(status)

		Expect(apierrors.IsNotFound(one.Status(ctx, intent, nil))).To(BeTrue())
		live := newWidget(ns, "w")
		Expect(one.Object(ctx, widgetIntent(ns, "w", map[string]any{"size": int64(1)}), live)).To(Succeed())
		into := newWidget("", "")
		err := one.Status(ctx, intent, into)
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		Expect(into).To(Equal(newWidget("", "")))
		// If this fails, the server has learned to check, and Status can say so.
		Expect(reload(ctx, live).Object).To(HaveKey("status"))
	})
})

const otherUID types.UID = "11111111-2222-3333-4444-555555555555"
