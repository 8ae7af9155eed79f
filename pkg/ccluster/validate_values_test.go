// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// valuesOf makes values of a size in bytes as compact JSON.
func valuesOf(size int, character string) *runtime.RawExtension {
	const frame = `{"a":""}`
	return &runtime.RawExtension{Raw: []byte(`{"a":"` + strings.Repeat(character, size-len(frame)) + `"}`)}
}

func TestValidateBoundsValues(t *testing.T) {
	g := NewWithT(t)
	set := validSet()
	second := *set.Spec.Components[0].DeepCopy()
	second.Name = "second"
	set.Spec.Components = append(set.Spec.Components, second)

	set.Spec.Components[1].Values = valuesOf(MaxValuesBytes, "a")
	g.Expect(Validate(set)).To(Succeed())
	set.Spec.Components[1].Values = valuesOf(MaxValuesBytes, "<")
	g.Expect(Validate(set)).To(Succeed(), "escapes that only Go adds do not count")

	large := set.DeepCopy()
	large.Spec.Components[1].Values = valuesOf(MaxValuesBytes+1, "a")
	const want = "spec.components[1].values: Too long: may not be more than 65536 bytes"
	g.Expect(messages(t, Validate(large))).To(Equal([]string{want}))
	g.Expect(messages(t, ValidateUpdate(set, large))).To(Equal([]string{want}))
}

func TestValidateMeasuresCompactJSON(t *testing.T) {
	g := NewWithT(t)
	set := validSet()
	set.Spec.Components[0].Values = &runtime.RawExtension{Raw: []byte(`{` + strings.Repeat(" ", MaxValuesBytes) + `"a": 1}`)}
	g.Expect(Validate(set)).To(Succeed())
}

func TestValidateRefusesValuesThatAreNoObject(t *testing.T) {
	g := NewWithT(t)
	set := validSet()
	set.Spec.Components[0].Values = &runtime.RawExtension{Raw: []byte(`"text"`)}
	g.Expect(messages(t, Validate(set))).To(ConsistOf(HavePrefix("spec.components[0].values: Invalid value:")))

	set.Spec.Components[0].Values = &runtime.RawExtension{Raw: []byte(`{"token": hunter2}`)}
	err := Validate(set)
	g.Expect(err).To(MatchError(HavePrefix("encode CCLComponentSet: ")))
	g.Expect(err.Error()).NotTo(ContainSubstring("hunter2"))
}

func TestOnlyComponentSetsHaveValues(t *testing.T) {
	g := NewWithT(t)
	large := content{"values": strings.Repeat("a", MaxValuesBytes+1)}
	obj := content{"kind": v1alpha1.CCLInfraPlaneKind, "spec": content{"components": []any{large}}}
	g.Expect(valuesTooLarge(obj)).To(BeEmpty())
	obj["kind"] = v1alpha1.CCLComponentSetKind
	g.Expect(valuesTooLarge(obj)).To(HaveLen(1))
	for _, malformed := range []any{nil, "text", content{"components": "text"}, content{"components": []any{"text", content{}}}} {
		g.Expect(valuesTooLarge(content{"kind": v1alpha1.CCLComponentSetKind, "spec": malformed})).To(BeEmpty())
	}
}
