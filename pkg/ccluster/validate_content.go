// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"errors"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// content is an object as it is on the wire: maps, slices, strings, int64, float64 and bool.
type content = map[string]any

// decode finds out what kind obj is of and encodes it as a client would send it. The result
// shares nothing with obj.
func decode(obj runtime.Object) (*kindRules, content, error) {
	gvk, err := kindOf(obj)
	if err != nil {
		return nil, nil, err
	}
	rules, err := rulesFor(gvk)
	if err != nil {
		return nil, nil, err
	}
	var source any = obj
	if u, ok := obj.(runtime.Unstructured); ok {
		source = u.UnstructuredContent()
	}
	encoded, err := json.Marshal(source)
	if err != nil {
		return nil, nil, fmt.Errorf("encode %s: %w", gvk.Kind, err)
	}
	c := content{}
	if err := json.Unmarshal(encoded, &c); err != nil {
		return nil, nil, fmt.Errorf("decode %s: %w", gvk.Kind, err)
	}
	if c == nil {
		return nil, nil, fmt.Errorf("decode %s: the object is nil", gvk.Kind)
	}
	// A typed object usually leaves them out.
	c["apiVersion"], c["kind"] = gvk.GroupVersion().String(), gvk.Kind
	return rules, c, nil
}

// decodeBoth decodes two objects that must be of the same kind.
func decodeBoth(oldObj, newObj runtime.Object) (_ *kindRules, oldContent, newContent content, err error) {
	oldRules, oldContent, err := decode(oldObj)
	if err != nil {
		return nil, nil, nil, err
	}
	newRules, newContent, err := decode(newObj)
	if err != nil {
		return nil, nil, nil, err
	}
	if oldRules != newRules {
		return nil, nil, nil, fmt.Errorf("compare objects: %s must not be replaced by %s", oldRules.gvk.Kind, newRules.gvk.Kind)
	}
	return newRules, oldContent, newContent, nil
}

// goTypes maps the Go types of the API to their kinds.
var goTypes = sync.OnceValues(func() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, v1alpha1.AddToScheme(scheme)
})

// kindOf is the kind that the Go type stands for or, without one, that the object names.
func kindOf(obj runtime.Object) (schema.GroupVersionKind, error) {
	if obj == nil {
		return schema.GroupVersionKind{}, errors.New("find rules: the object is nil")
	}
	if _, ok := obj.(runtime.Unstructured); ok {
		return obj.GetObjectKind().GroupVersionKind(), nil
	}
	types, err := goTypes()
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("register types: %w", err)
	}
	gvks, _, err := types.ObjectKinds(obj)
	if runtime.IsNotRegisteredError(err) {
		err = ErrUnknownKind
	}
	if err != nil {
		return schema.GroupVersionKind{}, fmt.Errorf("find rules of %T: %w", obj, err)
	}
	return gvks[0], nil
}
