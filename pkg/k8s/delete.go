// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Propagation is what becomes of the objects that a deleted one owns.
type Propagation string

// Values of Propagation.
const (
	// Background deletes them after it.
	Background Propagation = "Background"
	// Foreground deletes them before it.
	Foreground Propagation = "Foreground"
	// Orphan leaves them.
	Orphan Propagation = "Orphan"
)

// DeleteOptions are what Delete can be told.
type DeleteOptions struct {
	// Propagation is Background by default.
	Propagation Propagation
}

func (o DeleteOptions) api() metav1.DeleteOptions {
	propagation := metav1.DeletionPropagation(o.Propagation)
	if o.Propagation == "" {
		propagation = metav1.DeletePropagationBackground
	}
	return metav1.DeleteOptions{PropagationPolicy: &propagation}
}

// Delete deletes the object of that name, and tells whether there was one. It returns when the
// server has accepted that: an object with finalizers, or a Pod that is still to end, is there for
// a while.
func (c *Client) Delete(ctx context.Context, r Resource, name string, options DeleteOptions) (bool, error) {
	resource, at, err := c.of(r)
	if err != nil {
		return false, err
	}
	err = resource.Delete(ctx, name, options.api())
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, failure(http.MethodDelete, path(at, c.namespace, name), err)
}

// DeleteAll deletes every object that matches the label selector, and what those own, and returns
// how many that were. An empty selector is ErrEmptySelector. An object that somebody else puts in
// the place of a matching one meanwhile stays. At the first error it stops.
func (c *Client) DeleteAll(ctx context.Context, r Resource, selector string) (int, error) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return 0, fmt.Errorf("k8s: selector %q: %w", selector, err)
	}
	// Blanks alone select everything too.
	if parsed.Empty() {
		return 0, fmt.Errorf("k8s: delete all %s: %w", r.Plural, ErrEmptySelector)
	}
	resource, at, err := c.of(r)
	if err != nil {
		return 0, err
	}
	listed, err := c.List(ctx, r, selector)
	if err != nil {
		return 0, err
	}
	deleted := 0
	for _, object := range listed.Items {
		name, nameless := object.StringAt("/metadata/name")
		uid, anonymous := object.StringAt("/metadata/uid")
		if err := errors.Join(nameless, anonymous); err != nil {
			return deleted, err
		}
		options := DeleteOptions{}.api()
		options.Preconditions = metav1.NewUIDPreconditions(string(types.UID(uid)))
		err := resource.Delete(ctx, name, options)
		switch {
		case err == nil:
			deleted++
		case !apierrors.IsNotFound(err) && !apierrors.IsConflict(err):
			return deleted, failure(http.MethodDelete, path(at, c.namespace, name), err)
		}
	}
	return deleted, nil
}
