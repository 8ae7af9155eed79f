// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"context"
	"errors"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// errNotAnObject is a manifest that is empty, or a list, or a bare word.
var errNotAnObject = errors.New("k8s: the manifest must be one object with apiVersion and kind")

// Create creates the object that the manifest describes, one in JSON or YAML, and returns it as
// the server made it.
func (c *Client) Create(ctx context.Context, r Resource, manifest string) (Value, error) {
	resource, at, err := c.of(r)
	if err != nil {
		return Value{}, err
	}
	read, err := ReadYAML(manifest)
	if err != nil {
		return Value{}, err
	}
	fields, ok := read.data.(map[string]any)
	if !ok {
		return Value{}, errNotAnObject
	}
	object := &unstructured.Unstructured{Object: fields}
	if object.GetKind() == "" || object.GetAPIVersion() == "" {
		return Value{}, errNotAnObject
	}
	created, err := resource.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return Value{}, failure(http.MethodPost, path(at, c.namespace, ""), err)
	}
	return Value{data: created.Object}, nil
}
