// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// inNamespace puts the registration's ServiceAccount into a namespace.
func inNamespace(r *v1alpha1.ClusterRegistration, namespace string) {
	r.Spec.ServiceAccount = &v1alpha1.ServiceAccountReference{Namespace: namespace, Name: "edge"}
}

// newNamespace makes a namespace of a given name on the infra plane.
func (b *bench) newNamespace(name string) *corev1.Namespace {
	GinkgoHelper()
	return plant(b.ctx, b.plane, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

var planeFailures = []failure{
	{
		name: "namespace of the ServiceAccount missing", reason: v1alpha1.ReasonReferenceNotFound,
		message: "A namespace or role that the spec names does not exist on the infra plane: create it there",
		arrange: func(b *bench, r *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			inNamespace(r, "missing-"+b.namespace)
			return func(*v1alpha1.ClusterRegistration) { b.newNamespace("missing-" + b.namespace) }
		},
	},
	{
		name: "namespace of a RoleBinding missing", reason: v1alpha1.ReasonReferenceNotFound,
		message: "A namespace or role that the spec names does not exist on the infra plane: create it there",
		arrange: func(b *bench, r *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			r.Spec.Access = &v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{"missing-" + b.namespace}}
			return func(*v1alpha1.ClusterRegistration) { b.newNamespace("missing-" + b.namespace) }
		},
	},
	{
		name: "namespace of the ServiceAccount being deleted", reason: v1alpha1.ReasonNamespaceTerminating,
		message: "The namespace is being deleted (HTTP 403): wait until it is gone and create it again",
		arrange: func(b *bench, r *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			GinkgoHelper()
			namespace := b.newNamespace("ending-" + b.namespace)
			held := plant(b.ctx, b.plane, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace.Name, Name: "held", Finalizers: []string{"example.com/held"},
			}})
			Expect(b.plane.Delete(b.ctx, namespace)).To(Succeed())
			inNamespace(r, namespace.Name)
			return func(*v1alpha1.ClusterRegistration) {
				GinkgoHelper()
				edit(b.ctx, b.plane, held, func(c *corev1.ConfigMap) { c.Finalizers = nil })
				Eventually(func() bool {
					return apierrors.IsNotFound(b.plane.Get(b.ctx, client.ObjectKeyFromObject(namespace), namespace))
				}).Should(BeTrue())
				b.newNamespace(namespace.Name)
			}
		},
	},
	{
		name: "quota of ServiceAccounts used up", reason: v1alpha1.ReasonQuotaExceeded,
		message: "A resource quota of the namespace does not allow the object (HTTP 403): make the quota larger",
		arrange: func(b *bench, r *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			GinkgoHelper()
			namespace := b.remoteNamespace()
			quota := plant(b.ctx, b.plane, &corev1.ResourceQuota{
				ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "full"},
				Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/serviceaccounts": resource.MustParse("0")}},
			})
			inNamespace(r, namespace)
			return func(*v1alpha1.ClusterRegistration) {
				GinkgoHelper()
				Expect(b.plane.Delete(b.ctx, quota)).To(Succeed())
			}
		},
	},
	{
		name: "policy that refuses the ServiceAccount", reason: v1alpha1.ReasonAdmissionDenied,
		message: "denied the request (HTTP 422): allow what the registration makes in that webhook or policy",
		arrange: func(b *bench, r *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			GinkgoHelper()
			namespace := b.remoteNamespace()
			binding := b.refuseAccounts(namespace)
			inNamespace(r, namespace)
			return func(*v1alpha1.ClusterRegistration) {
				GinkgoHelper()
				Expect(b.plane.Delete(b.ctx, binding)).To(Succeed())
			}
		},
	},
}

// refuseAccounts makes an admission policy against ServiceAccounts in a namespace, and waits until
// it works.
func (b *bench) refuseAccounts(namespace string) *admissionregistrationv1.ValidatingAdmissionPolicyBinding {
	GinkgoHelper()
	plant(b.ctx, b.plane, &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"serviceaccounts"}},
				},
			}}},
			Validations: []admissionregistrationv1.Validation{{Expression: "object.metadata.namespace != '" + namespace + "'", Message: "canary"}},
		},
	})
	binding := plant(b.ctx, b.plane, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: namespace, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	})
	Eventually(func() bool {
		trial := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "trial-"}}
		return apierrors.IsInvalid(b.plane.Create(b.ctx, trial, client.DryRunAll))
	}).Should(BeTrue())
	return binding
}

var _ = Describe("What an infra plane refuses a registration", func() {
	for _, f := range planeFailures {
		f.condition, f.dials = v1alpha1.ConditionAuthorized, true
		It("is told once, in one condition: "+f.name, func(ctx SpecContext) {
			b := newBench(ctx)
			b.expectFailureAndRecovery(f)
		})
	}

	It("is a wait, not a failure, while it has not issued the token", func(ctx SpecContext) {
		b := newBench(ctx)
		Expect(infra.StopControllerManager()).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(infra.StartControllerManager(ctx)).To(Succeed()) })
		reg := b.create("edge")
		for range 5 {
			b.must(client.ObjectKeyFromObject(reg))
			b.refresh(reg)
			Expect(reg.Status.Conditions).To(BeEmpty(), "the usual second is not worth a status")
		}
		b.must(client.ObjectKeyFromObject(reg))
		b.refresh(reg)
		issued := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionTokenIssued)
		Expect([]string{string(issued.Status), issued.Reason}).To(Equal([]string{"Unknown", v1alpha1.ReasonTokenPending}))
		Expect(issued.Message).To(Equal("The infra plane has not issued the token yet: if that lasts, check that it runs a token controller, or use `spec.token.type` Bound"))
		ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
		Expect([]string{string(ready.Status), ready.Reason}).To(Equal([]string{"Unknown", v1alpha1.ReasonTokenPending}))
		for _, c := range reg.Status.Conditions[:3] {
			Expect(c.Status).To(Equal(metav1.ConditionTrue), c.Type)
		}
		Expect(b.events()).NotTo(ContainElement(HavePrefix("Warning")))

		By("making one Secret, however long it takes")
		b.forgetPast()
		for range 20 {
			b.must(client.ObjectKeyFromObject(reg))
		}
		Expect(writesOf(b.onInfra.take())).To(BeEmpty())
		Expect(b.onControl.take()).To(BeEmpty())
		Expect(b.events()).To(BeEmpty())

		By("getting Ready when it is issued")
		Expect(infra.StartControllerManager(ctx)).To(Succeed())
		b.ready(client.ObjectKeyFromObject(reg))
	})
})
