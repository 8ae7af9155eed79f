// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

// operator is the other operator's name as an owner of fields.
const operator = "other-operator"

var _ = Describe("The manager of config/registration-only beside the owner of CCLInfraPlane", func() {
	It("shares the object and leaves the owner's fields alone", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), shared)
		Expect(shared.Get(ctx, client.ObjectKey{Name: "cclcomponentsets.ccluster.nvidia.com"},
			&apiextensionsv1.CustomResourceDefinition{})).To(MatchError(ContainSubstring("not found")))
		objects := render(configFolder + "/registration-only")
		start(ctx, shared, shared.token(ctx, systemNamespace, managerAccount), append(arguments(objects), allowLoopback)...)
		reg := registration(ctx, shared, namespace, "edge-1", account("shared"), retained)

		By("waiting for the owner's verdict on the plane")
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(shared.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
			g.Expect(conditions(reg)).To(And(
				HaveKeyWithValue(v1alpha1.ConditionCredentialsApplied, "True Applied"),
				HaveKeyWithValue(v1alpha1.ConditionPlaneAvailable, HavePrefix("Unknown NotReported")),
				HaveKeyWithValue(v1alpha1.ConditionReady, HavePrefix("Unknown")),
			))
		}).WithContext(ctx).Should(Succeed())
		shared.adopt(ctx, reg)
		reg = ready(ctx, shared, reg)
		Expect(conditions(reg)).To(HaveKeyWithValue(v1alpha1.ConditionPlaneAvailable, "True Mirrored: Everything is in place"))
		adopted := shared.plane(ctx, reg)

		By("writing its own part again after somebody has changed it")
		Expect(shared.edit(ctx, reg, func(plane *unstructured.Unstructured) {
			Expect(unstructured.SetNestedField(plane.Object, "elsewhere", "spec", "clusterCredentialsRef", "name")).To(Succeed())
		})).To(Succeed())
		Eventually(func(g Gomega, ctx context.Context) {
			plane := shared.plane(ctx, reg)
			g.Expect(plane.Object["spec"]).To(Equal(adopted.Object["spec"]))
		}).WithContext(ctx).Should(Succeed())

		By("writing a changed credential")
		Expect(shared.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
		reg.Spec.ClusterLabels = map[string]v1alpha1.LabelValue{"tier": "edge"}
		Expect(shared.Update(ctx, reg)).To(Succeed())
		reg = ready(ctx, shared, reg)
		plane := shared.plane(ctx, reg)
		Expect(plane.Object["spec"]).To(Equal(map[string]any{
			"clusterCredentialsRef": map[string]any{"name": "edge-1-credentials", "rotation": "Manual"},
			"region":                "eu-1", "capacity": int64(7),
		}))
		Expect(plane.Object["status"]).To(Equal(adopted.Object["status"]))
		Expect(plane.GetLabels()).To(HaveKeyWithValue("other-operator.example.com/pool", "a"))
		Expect(plane.GetFinalizers()).To(Equal([]string{"other-operator.example.com/drain"}))

		By("waiting for the owner's finalizer")
		Expect(shared.Delete(ctx, reg)).To(Succeed())
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(shared.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
			g.Expect(conditions(reg)).To(HaveKeyWithValue(v1alpha1.ConditionReady, HavePrefix("False Draining")))
			g.Expect(shared.plane(ctx, reg).GetDeletionTimestamp()).NotTo(BeNil())
		}).WithContext(ctx).Should(Succeed())
		Expect(marked(ctx, infra, reg)).NotTo(BeEmpty(), "the credential is needed to drain")
		Expect(shared.edit(ctx, reg, func(plane *unstructured.Unstructured) { plane.SetFinalizers(nil) })).To(Succeed())
		unregister(ctx, shared, reg)
	})
})

// plane is the CCLInfraPlane as its owner sees it.
func (c *cluster) plane(ctx context.Context, reg *v1alpha1.ClusterRegistration) *unstructured.Unstructured {
	GinkgoHelper()
	plane := &unstructured.Unstructured{}
	plane.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind(v1alpha1.CCLInfraPlaneKind))
	Expect(c.Get(ctx, client.ObjectKeyFromObject(reg), plane)).To(Succeed())
	return plane
}

// edit updates the CCLInfraPlane as its owner.
func (c *cluster) edit(ctx context.Context, reg *v1alpha1.ClusterRegistration, change func(*unstructured.Unstructured)) error {
	GinkgoHelper()
	plane := c.plane(ctx, reg)
	change(plane)
	return c.Update(ctx, plane, client.FieldOwner(operator))
}

// adopt does what the other operator does with a new plane: fields of its own, a finalizer, and a
// status that says it is available.
func (c *cluster) adopt(ctx context.Context, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	Eventually(func(ctx context.Context) error {
		return c.edit(ctx, reg, func(plane *unstructured.Unstructured) {
			plane.SetLabels(map[string]string{"other-operator.example.com/pool": "a"})
			plane.SetFinalizers([]string{"other-operator.example.com/drain"})
			Expect(unstructured.SetNestedField(plane.Object, "eu-1", "spec", "region")).To(Succeed())
			Expect(unstructured.SetNestedField(plane.Object, int64(7), "spec", "capacity")).To(Succeed())
			Expect(unstructured.SetNestedField(plane.Object, "Manual", "spec", "clusterCredentialsRef", "rotation")).To(Succeed())
		})
	}).WithContext(ctx).Should(Succeed())
	plane := c.plane(ctx, reg)
	plane.Object["status"] = map[string]any{
		"phase": "Bound", "score": int64(3),
		"conditions": []any{map[string]any{
			"type": "Available", "status": "True", "reason": "Mirrored", "message": "Everything is in place",
			"lastTransitionTime": metav1.Now().UTC().Format("2006-01-02T15:04:05Z"), // and no observedGeneration
		}},
	}
	Expect(c.Status().Update(ctx, plane, client.FieldOwner(operator))).To(Succeed())
}
