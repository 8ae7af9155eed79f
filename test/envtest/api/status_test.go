// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	v1alpha1ac "github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var _ = Describe("Status", func() {
	var namespace string
	BeforeEach(func() { namespace = testenv.Namespace(GinkgoTB(), kube) })

	It("is not written with the spec, and does not count as a change of it", func(ctx SpecContext) {
		obj := minimalRegistration(namespace)
		obj.Status.Server = "https://planted"
		Expect(kube.Create(ctx, obj)).To(Succeed())
		Expect(obj.Status).To(BeZero())
		Expect(obj.Generation).To(BeEquivalentTo(1))

		obj.Status.Server = "https://planted"
		obj.Spec.Reconciliation = v1alpha1.ReconciliationSuspended
		Expect(kube.Update(ctx, obj)).To(Succeed())
		Expect(obj.Status).To(BeZero())
		Expect(obj.Generation).To(BeEquivalentTo(2))

		obj.Status.Server = "https://edge-1:6443"
		obj.Spec.Reconciliation = v1alpha1.ReconciliationActive
		Expect(kube.Status().Update(ctx, obj)).To(Succeed())
		live := &v1alpha1.ClusterRegistration{}
		Expect(kube.Get(ctx, client.ObjectKeyFromObject(obj), live)).To(Succeed())
		Expect(live.Status.Server).To(Equal("https://edge-1:6443"))
		Expect(live.Spec.Reconciliation).To(Equal(v1alpha1.ReconciliationSuspended))
		Expect(live.Generation).To(BeEquivalentTo(2))
	})

	It("has a list of conditions that several writers share by type", func(ctx SpecContext) {
		Expect(kube.Create(ctx, minimalRegistration(namespace))).To(Succeed())
		apply := func(owner string, conditions ...*metav1ac.ConditionApplyConfiguration) {
			GinkgoHelper()
			intent := v1alpha1ac.ClusterRegistration("edge-1", namespace).
				WithStatus(v1alpha1ac.ClusterRegistrationStatus().WithConditions(conditions...))
			Expect(kube.Status().Apply(ctx, intent, client.FieldOwner(owner))).To(Succeed())
		}

		apply("one", wanted("Ready", "A"), wanted("Reachable", "A"))
		apply("two", wanted("Audited", "B"))
		Expect(reasons(ctx, namespace)).To(Equal(map[string]string{"Ready": "A", "Reachable": "A", "Audited": "B"}))

		apply("one", wanted("Ready", "C"))
		Expect(reasons(ctx, namespace)).To(Equal(map[string]string{"Ready": "C", "Audited": "B"}))
	})
})

func wanted(kind, reason string) *metav1ac.ConditionApplyConfiguration {
	return metav1ac.Condition().WithType(kind).WithStatus(metav1.ConditionTrue).WithReason(reason).WithMessage("").
		WithLastTransitionTime(condition("", "", "", "").LastTransitionTime)
}

func reasons(ctx context.Context, namespace string) map[string]string {
	GinkgoHelper()
	live := &v1alpha1.ClusterRegistration{}
	Expect(kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "edge-1"}, live)).To(Succeed())
	byType := map[string]string{}
	for _, c := range live.Status.Conditions {
		byType[c.Type] = c.Reason
	}
	return byType
}
