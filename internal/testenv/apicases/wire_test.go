// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	kjson "sigs.k8s.io/json"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func typed(kind string) any {
	switch kind {
	case v1alpha1.ClusterRegistrationKind:
		return &v1alpha1.ClusterRegistration{}
	case v1alpha1.CCLInfraPlaneKind:
		return &v1alpha1.CCLInfraPlane{}
	case v1alpha1.CCLComponentSetKind:
		return &v1alpha1.CCLComponentSet{}
	default:
		panic("no Go type for kind " + kind)
	}
}

// TestGoTypesCarryEveryAcceptedObject: what the server accepts survives a pass through the Go
// types, but for empty lists and maps, which mean the same as none.
func TestGoTypesCarryEveryAcceptedObject(t *testing.T) {
	for _, c := range All() {
		if !c.Accepted() {
			continue
		}
		g := NewWithT(t)
		sent, err := json.Marshal(c.New)
		g.Expect(err).NotTo(HaveOccurred())
		object := typed(c.Kind)
		strict, err := kjson.UnmarshalStrict(sent, object)
		g.Expect(err).NotTo(HaveOccurred(), c.Name)
		g.Expect(strict).To(BeEmpty(), c.Name)

		encoded, err := json.Marshal(object)
		g.Expect(err).NotTo(HaveOccurred(), c.Name)
		back := Object{}
		g.Expect(kjson.UnmarshalCaseSensitivePreserveInts(encoded, &back)).To(Succeed())
		g.Expect(withoutEmpty(back)).To(Equal(withoutEmpty(clone(c.New))), c.Name)
	}
}

// withoutEmpty removes nulls, those empty lists and maps that Go leaves out, and the 0 that
// metav1.Condition leaves out.
func withoutEmpty(o Object) Object {
	kept := map[string]bool{"inCluster": true, "endpoint": true, "serviceAccount": true, "access": true, "token": true, "values": true}
	for key, value := range o {
		switch value := value.(type) {
		case nil:
			delete(o, key)
		case int64:
			if key == "observedGeneration" && value == 0 {
				delete(o, key)
			}
		case []any:
			if len(value) == 0 {
				delete(o, key)
			}
			for _, item := range value {
				if item, ok := item.(map[string]any); ok {
					withoutEmpty(item)
				}
			}
		case map[string]any:
			if withoutEmpty(value); len(value) == 0 && !kept[key] {
				delete(o, key)
			}
		}
	}
	return o
}

// TestZeroFieldsAreLeftOut: no struct of the API writes a field that was never set. A field
// that is written unasked would be owned by whoever applies the object.
func TestZeroFieldsAreLeftOut(t *testing.T) {
	seen := map[reflect.Type]bool{}
	for _, kind := range []string{v1alpha1.ClusterRegistrationKind, v1alpha1.CCLInfraPlaneKind, v1alpha1.CCLComponentSetKind} {
		visitStructs(reflect.TypeOf(typed(kind)), seen)
	}
	if len(seen) < 15 {
		t.Fatalf("found only %d structs", len(seen))
	}
	for s := range seen {
		encoded, err := json.Marshal(reflect.New(s).Interface())
		if err != nil {
			t.Fatal(err)
		}
		if string(encoded) != "{}" {
			t.Errorf("the zero %s is written as %s", s, encoded)
		}
	}
}

// visitStructs collects the structs of the API package.
func visitStructs(at reflect.Type, seen map[reflect.Type]bool) {
	switch at.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		visitStructs(at.Elem(), seen)
	case reflect.Struct:
		if !strings.HasSuffix(at.PkgPath(), "/api/v1alpha1") || seen[at] {
			return
		}
		seen[at] = true
		for field := range at.Fields() {
			visitStructs(field.Type, seen)
		}
	default:
	}
}
