// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Get returns the object of that name, and whether there is one.
func (c *Client) Get(ctx context.Context, r Resource, name string) (Value, bool, error) {
	resource, at, err := c.of(r)
	if err != nil {
		return Value{}, false, err
	}
	object, err := resource.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return Value{}, false, nil
	case err != nil:
		return Value{}, false, failure(http.MethodGet, path(at, c.namespace, name), err)
	}
	return Value{data: object.Object}, true, nil
}
