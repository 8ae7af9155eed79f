// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// intention is a private copy of one apply configuration. The client overwrites
// its content with the server's answer, so it is used for one request only.
type intention struct {
	*unstructured.Unstructured

	id identity
}

// identity names the object an intention is about; it outlives the content.
type identity struct {
	gvk       schema.GroupVersionKind
	namespace string
	name      string
}

func (i identity) String() string {
	if i.namespace == "" {
		return i.gvk.Kind + " " + i.name
	}
	return i.gvk.Kind + " " + i.namespace + "/" + i.name
}

// decode copies an apply configuration through its own JSON, so that exactly the
// fields it would send are there.
func decode(intent runtime.ApplyConfiguration) (*intention, error) {
	if isNil(intent) {
		return nil, errors.New("decode intent: must not be nil")
	}
	data, err := json.Marshal(intent)
	if err != nil {
		return nil, fmt.Errorf("encode intent %T: %w", intent, err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		return nil, fmt.Errorf("decode intent %T: %w", intent, err)
	}
	id := identity{gvk: u.GroupVersionKind(), namespace: u.GetNamespace(), name: u.GetName()}
	if id.gvk.Kind == "" || id.gvk.Version == "" || id.name == "" {
		return nil, fmt.Errorf("decode intent %T: apiVersion, kind and metadata.name must be set", intent)
	}
	return &intention{Unstructured: u, id: id}, nil
}

func (i *intention) configuration() runtime.ApplyConfiguration {
	return client.ApplyConfigurationFromUnstructured(i.Unstructured)
}

// answer decodes what the client left in the intention into the caller's object.
func (i *intention) answer(into client.Object) error {
	if isNil(into) {
		return nil
	}
	if err := decodeInto(i.Object, into); err != nil {
		return fmt.Errorf("decode %s: %w", i.id, err)
	}
	return nil
}

// decodeInto replaces all of into, which may be typed or unstructured.
func decodeInto(content map[string]any, into client.Object) error {
	if u, ok := into.(*unstructured.Unstructured); ok {
		u.SetUnstructuredContent(content)
		return nil
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(content, into)
}

// checkTarget finds a wrongly typed into before anything is written.
func (a Applier) checkTarget(sent *intention, into client.Object) error {
	if isNil(into) {
		return nil
	}
	switch into.(type) {
	case *unstructured.Unstructured, *metav1.PartialObjectMetadata:
		return nil // takes any kind
	}
	gvk, err := a.client.GroupVersionKindFor(into)
	if err != nil {
		return fmt.Errorf("find kind of %T: %w", into, err)
	}
	if gvk != sent.id.gvk {
		return fmt.Errorf("apply %s: answer of kind %s does not fit into %T", sent.id, sent.id.gvk.Kind, into)
	}
	return nil
}

// isNil also finds a nil pointer inside a non-nil interface, as in
//
//	var live *corev1.Secret
//	a.Ensure(ctx, live, …)
func isNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
