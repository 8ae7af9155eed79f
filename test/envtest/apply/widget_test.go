// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Widget is a custom kind with free JSON, an empty struct as a choice, and
// conditions. It exists as unstructured content only.
var widgetKind = schema.GroupVersionKind{Group: "apply.example.com", Version: "v1", Kind: "Widget"}

// widgetSchema is what a generator would write beside apply configurations. It
// takes values as one unit, where the server tracks each of its fields.
const widgetSchema = `types:
- name: com.example.apply.v1.Widget
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {namedType: __untyped_atomic_}}}}
    - name: spec
      type:
        map:
          fields:
          - {name: size, type: {scalar: numeric}}
          - {name: local, type: {map: {elementType: {scalar: untyped}}}}
          - {name: values, type: {namedType: __untyped_atomic_}}
    - name: status
      type:
        map:
          fields:
          - name: conditions
            type:
              list:
                elementRelationship: associative
                keys: [type]
                elementType: {map: {elementType: {scalar: untyped}}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
`

func addWidget(s *runtime.Scheme) {
	s.AddKnownTypeWithName(widgetKind, &unstructured.Unstructured{})
	metav1.AddToGroupVersion(s, widgetKind.GroupVersion())
}

func widgetCRD() *apiextensionsv1.CustomResourceDefinition {
	type props = apiextensionsv1.JSONSchemaProps
	text := props{Type: "string"}
	condition := props{Type: "object", Required: []string{"type"}, Properties: map[string]props{
		"type": text, "status": text, "reason": text, "message": text,
		"observedGeneration": {Type: "integer"}, "lastTransitionTime": {Type: "string", Format: "date-time"},
	}}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + widgetKind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: widgetKind.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: widgetKind.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &props{Type: "object", Properties: map[string]props{
					"spec": {Type: "object", Properties: map[string]props{
						"size":   {Type: "integer"},
						"local":  {Type: "object"},
						"values": {XPreserveUnknownFields: new(true)},
					}},
					"status": {Type: "object", Properties: map[string]props{
						"conditions": {
							Type: "array", XListType: new("map"), XListMapKeys: []string{"type"},
							Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition},
						},
					}},
				}}},
			}},
		},
	}
}

func newWidget(namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(widgetKind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

func widgetIntent(namespace, name string, spec map[string]any) runtime.ApplyConfiguration {
	u := newWidget(namespace, name)
	u.Object["spec"] = spec
	return client.ApplyConfigurationFromUnstructured(u)
}
