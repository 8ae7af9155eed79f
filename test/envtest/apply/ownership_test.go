// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	policyv1ac "k8s.io/client-go/applyconfigurations/policy/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
	"github.com/ccluster-go/ccluster-go/pkg/conditions/conditionstest"
)

var _ = Describe("two managers of one object", func() {
	It("own their entries of a list-map, and clear only their own", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one, two := applier("one"), applier("two")
		service := func(spec *corev1ac.ServiceSpecApplyConfiguration) *corev1ac.ServiceApplyConfiguration {
			return corev1ac.Service("web", ns).WithSpec(spec)
		}
		// The protocol is a key of the list-map that the server fills in.
		port := func(name string, number int32) *corev1ac.ServicePortApplyConfiguration {
			return corev1ac.ServicePort().WithName(name).WithPort(number)
		}
		live := &corev1.Service{}
		Expect(one.Object(ctx, service(corev1ac.ServiceSpec().WithPorts(port("http", 80), port("metrics", 81))), live)).To(Succeed())
		Expect(two.Object(ctx, service(corev1ac.ServiceSpec().WithPorts(port("https", 443))), live)).To(Succeed())
		Expect(live.Spec.Ports).To(ConsistOf(HaveField("Port", int32(80)), HaveField("Port", int32(81)), HaveField("Port", int32(443))))
		Expect(one.Unchanged(live, service(corev1ac.ServiceSpec().WithPorts(port("metrics", 81), port("http", 80))), "")).To(BeTrue())
		Expect(two.Unchanged(live, service(corev1ac.ServiceSpec().WithPorts(port("https", 443))), "")).To(BeTrue())

		Expect(one.Ensure(ctx, live, service(corev1ac.ServiceSpec().WithPorts(port("http", 80))), live)).To(BeTrue())
		Expect(live.Spec.Ports).To(ConsistOf(HaveField("Port", int32(80)), HaveField("Port", int32(443))))
		Expect(two.Unchanged(live, service(corev1ac.ServiceSpec().WithPorts(port("https", 443))), "")).To(BeTrue())

		Expect(one.Ensure(ctx, live, corev1ac.Service("web", ns), live)).To(BeTrue())
		Expect(live.Spec.Ports).To(ConsistOf(HaveField("Port", int32(443))))
		Expect(managers(live)).To(ConsistOf("two"))
	})

	It("share a field that both want, until the last one leaves", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one, two := applier("one"), applier("two")
		intent := func(data map[string]string) *corev1ac.ConfigMapApplyConfiguration {
			return corev1ac.ConfigMap("shared", ns).WithData(data)
		}
		live := &corev1.ConfigMap{}
		Expect(one.Object(ctx, intent(map[string]string{"both": "1"}), nil)).To(Succeed())
		Expect(two.Object(ctx, intent(map[string]string{"both": "1"}), nil, apply.Unforced)).To(Succeed())
		Expect(one.Object(ctx, intent(nil), live)).To(Succeed())
		Expect(live.Data).To(HaveKeyWithValue("both", "1"))
		Expect(two.Object(ctx, intent(nil), live)).To(Succeed())
		Expect(live.Data).To(BeEmpty())
	})

	It("own their conditions in a status", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one, two := applier("one"), applier("two")
		pdb := &policyv1.PodDisruptionBudget{}
		Expect(one.Object(ctx, policyv1ac.PodDisruptionBudget("budget", ns).WithSpec(policyv1ac.PodDisruptionBudgetSpec().
			WithSelector(metav1ac.LabelSelector().WithMatchLabels(map[string]string{"app": "web"}))), pdb)).To(Succeed())

		clock := clocktesting.NewFakePassiveClock(metav1.Now().Time)
		intent := func(b *conditions.Builder) *policyv1ac.PodDisruptionBudgetApplyConfiguration {
			return policyv1ac.PodDisruptionBudget("budget", ns).WithUID(pdb.UID).
				WithStatus(policyv1ac.PodDisruptionBudgetStatus().WithConditions(b.Build()...))
		}
		first := conditions.For(pdb, nil, clock, "Reachable", "Ready")
		first.Set("Reachable", metav1.ConditionTrue, "Answered", "")
		first.Summarize("Ready", "Reachable")
		Expect(one.Status(ctx, intent(first), pdb)).To(Succeed())
		second := conditions.For(pdb, pdb.Status.Conditions, clock, "Probed")
		Expect(two.Status(ctx, intent(second), pdb)).To(Succeed())

		Expect(pdb.Status.Conditions).To(conditionstest.MatchConditions(append(first.Conditions(), second.Conditions()...)...))
		Expect(conditions.Check(pdb, pdb.Status.Conditions, "Ready", "Reachable")).To(Succeed())

		By("an hour later, in a pass that finds the same")
		clock.SetTime(clock.Now().Add(3600e9))
		again := conditions.For(pdb, pdb.Status.Conditions, clock, "Reachable", "Ready")
		again.Keep("Reachable")
		again.Summarize("Ready", "Reachable")
		Expect(again.Changed()).To(BeFalse())
		Expect(one.Unchanged(pdb, intent(again), "status")).To(BeTrue())
		before := pdb.ResourceVersion
		Expect(one.EnsureStatus(ctx, pdb, intent(again), pdb)).To(BeFalse())
		Expect(reload(ctx, pdb).ResourceVersion).To(Equal(before))

		By("one manager leaving out a condition")
		Expect(one.EnsureStatus(ctx, pdb, intent(conditions.For(pdb, pdb.Status.Conditions, clock, "Ready")), pdb)).To(BeTrue())
		Expect(pdb.Status.Conditions).To(ConsistOf(HaveField("Type", "Ready"), HaveField("Type", "Probed")))
		Expect(two.Unchanged(pdb, intent(second), "status")).To(BeTrue())
		Expect(managers(pdb)).To(ConsistOf("one", "one/status", "two/status"))
	})
})

var _ = Describe("the intent", func() {
	It("is not filled with the fields of others", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		intent := corev1ac.ConfigMap("settings", ns).WithData(map[string]string{"mine": "1"})
		Expect(applier("other").Object(ctx, corev1ac.ConfigMap("settings", ns).WithData(map[string]string{"theirs": "1"}), nil)).To(Succeed())
		one := applier("one")
		Expect(one.Object(ctx, intent, nil)).To(Succeed())
		Expect(intent.Data).To(Equal(map[string]string{"mine": "1"}))
		Expect(intent.UID).To(BeNil())

		live := &corev1.ConfigMap{}
		Expect(one.Object(ctx, intent, live)).To(Succeed())
		Expect(applier("other").Object(ctx, corev1ac.ConfigMap("settings", ns), live)).To(Succeed())
		Expect(live.Data).To(Equal(map[string]string{"mine": "1"}))
	})

	It("applied twice writes nothing", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		intent := corev1ac.Secret("credentials", ns).WithData(map[string][]byte{"token": []byte("abc")})
		one := applier("one")
		made, again := &corev1.Secret{}, &corev1.Secret{}
		Expect(one.Ensure(ctx, nil, intent, made)).To(BeTrue())
		Expect(made.Data).To(Equal(map[string][]byte{"token": []byte("abc")}))
		Expect(one.Object(ctx, intent, again)).To(Succeed())
		Expect(again).To(Equal(made))
		Expect(one.Ensure(ctx, made, intent, again)).To(BeFalse())
		Expect(again).To(Equal(made))
		Expect(reload(ctx, made).ResourceVersion).To(Equal(made.ResourceVersion))
	})
})
