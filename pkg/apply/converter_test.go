// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

const widgetSchema = `types:
- name: com.example.v1.Widget
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - name: metadata
      type:
        map: {elementType: {namedType: __untyped_atomic_}}
    - {name: size, type: {scalar: numeric}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
`

// widgetScheme knows built-in kinds and Widget, as the scheme of a manager does.
func widgetScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	NewWithT(t).Expect(scheme.AddToScheme(s)).To(Succeed())
	s.AddKnownTypeWithName(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}, &unstructured.Unstructured{})
	return s
}

func widgetConverter(t *testing.T) managedfields.TypeConverter {
	t.Helper()
	parser, err := typed.NewParser(widgetSchema)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return managedfields.NewSchemeTypeConverter(widgetScheme(t), parser)
}

func widget(size any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"}, "size": size,
	}}
}

func builtin() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "w"}, "data": map[string]any{"k": "v"},
	}}
}

func TestChainConvertersPicksTheOneThatKnowsTheType(t *testing.T) {
	for name, first := range map[string]managedfields.TypeConverter{
		"scheme without the other kinds": applyconfigurations.NewTypeConverter(scheme.Scheme),
		"scheme with all kinds":          applyconfigurations.NewTypeConverter(widgetScheme(t)),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			for _, chain := range []managedfields.TypeConverter{
				apply.ChainConverters(first, nil, widgetConverter(t)),
				apply.ChainConverters(widgetConverter(t), first),
			} {
				for _, obj := range []*unstructured.Unstructured{widget(int64(3)), builtin()} {
					value, err := chain.ObjectToTyped(obj)
					g.Expect(err).NotTo(HaveOccurred())
					back, err := chain.TypedToObject(value)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(back).To(Equal(obj))
				}
			}
		})
	}
}

func TestChainConvertersReportsTheSchemaThatWasViolated(t *testing.T) {
	g := NewWithT(t)
	// A converter that takes everything must not rescue a bad value.
	chain := apply.ChainConverters(converter(), widgetConverter(t), managedfields.NewDeducedTypeConverter())
	_, err := chain.ObjectToTyped(widget("big"))
	g.Expect(err).To(MatchError(HavePrefix(".size: ")))

	unknown := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "other.example.com/v1", "kind": "Gadget"}}
	value, err := chain.ObjectToTyped(unknown)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(value.AsValue().Unstructured()).To(Equal(unknown.Object))
}

func TestChainConvertersWithoutAMatch(t *testing.T) {
	g := NewWithT(t)
	chain := apply.ChainConverters(applyconfigurations.NewTypeConverter(widgetScheme(t)), widgetConverter(t))
	_, err := chain.ObjectToTyped(&unstructured.Unstructured{Object: map[string]any{"apiVersion": "other.example.com/v1", "kind": "Gadget"}})
	g.Expect(err).To(MatchError(ContainSubstring("Gadget")))

	g.Expect(apply.ChainConverters()).To(BeNil())
	g.Expect(apply.ChainConverters(nil)).To(BeNil())
	_, err = apply.New(newRecorder(), apply.ChainConverters(), owner)
	g.Expect(err).To(MatchError("create applier: type converter must not be nil"))
}

func TestUnchangedNamesAnUnknownType(t *testing.T) {
	g := NewWithT(t)
	a, err := apply.New(newRecorder(), widgetConverter(t), owner)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = a.Unchanged(secret(managed(owner, "", "v1", secretFields)), secretIntent(), "")
	g.Expect(err).To(MatchError("compare intent for Secret team/credentials: schema error: no type found matching: " +
		(&corev1.Secret{}).OpenAPIModelName()))
}
