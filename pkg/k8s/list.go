// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"context"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
)

// Listed is what List found.
type Listed struct {
	Items []Value
	// ResourceVersion is the list's: a Watch from it sees every later change.
	ResourceVersion string
}

// List returns the objects that match a label selector, such as app=x,run=7, or all of them if it
// is empty. A long list is fetched in pages that belong together.
func (c *Client) List(ctx context.Context, r Resource, selector string) (Listed, error) {
	resource, at, err := c.of(r)
	if err != nil {
		return Listed{}, err
	}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return resource.List(ctx, options)
	})
	list, _, err := pages.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return Listed{}, failure(http.MethodGet, path(at, c.namespace, ""), err)
	}
	about, err := meta.ListAccessor(list)
	if err != nil {
		return Listed{}, failure(http.MethodGet, path(at, c.namespace, ""), err)
	}
	listed := Listed{ResourceVersion: about.GetResourceVersion()}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object, ok := item.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("an item is a %T", item)
		}
		listed.Items = append(listed.Items, Value{data: object.Object})
		return nil
	})
	if err != nil {
		return Listed{}, failure(http.MethodGet, path(at, c.namespace, ""), err)
	}
	return listed, nil
}
