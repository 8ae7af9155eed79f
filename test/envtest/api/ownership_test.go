// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	v1alpha1ac "github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

var _ = Describe("Components", func() {
	var namespace string
	BeforeEach(func() { namespace = testenv.Namespace(GinkgoTB(), kube) })

	intent := func(values string) *v1alpha1ac.CCLComponentSetApplyConfiguration {
		return v1alpha1ac.CCLComponentSet("local-base", namespace).WithSpec(v1alpha1ac.CCLComponentSetSpec().WithComponents(
			v1alpha1ac.Component().WithName("keda").WithInfraPlaneRef(v1alpha1ac.LocalObjectReference().WithName("edge-1")).
				WithChart("cluster_base/keda").WithNamespace("keda").WithValues(runtime.RawExtension{Raw: []byte(values)}),
		))
	}

	It("have one owner, values included", func(ctx SpecContext) {
		Expect(kube.Apply(ctx, intent(`{"a":1,"b":{"c":2}}`), client.FieldOwner("one"))).To(Succeed())
		err := kube.Apply(ctx, intent(`{"d":3}`), client.FieldOwner("two"))
		Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
		Expect(err).To(MatchError(ContainSubstring(".spec.components")))

		Expect(kube.Apply(ctx, intent(`{"d":3}`), client.FieldOwner("two"), client.ForceOwnership)).To(Succeed())
		live := &v1alpha1.CCLComponentSet{}
		Expect(kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "local-base"}, live)).To(Succeed())
		Expect(string(live.Spec.Components[0].Values.Raw)).To(MatchJSON(`{"d":3}`), "values are replaced as a whole")
		Expect(fieldsOf(live, "two")).To(HaveKeyWithValue("f:spec", map[string]any{"f:components": map[string]any{}}))
	})

	It("may have values that are too large for the manager: no schema can measure them", func(ctx SpecContext) {
		set := minimalSet(namespace)
		set.Spec.Components[0].Values = &runtime.RawExtension{
			Raw: []byte(`{"a":"` + strings.Repeat("a", ccluster.MaxValuesBytes) + `"}`),
		}
		Expect(ccluster.Validate(set)).To(MatchError(ContainSubstring("spec.components[0].values: Too long")))
		Expect(kube.Create(ctx, set)).To(Succeed())
	})
})

// fieldsOf are the fields that a manager owns.
func fieldsOf(obj client.Object, manager string) map[string]any {
	GinkgoHelper()
	for _, entry := range obj.GetManagedFields() {
		if entry.Manager == manager {
			fields := map[string]any{}
			Expect(json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields)).To(Succeed())
			return fields
		}
	}
	return nil
}
