// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fallbackClient reads from the cache, and live what the cache does not have: it holds
// only Secrets with our label, and a Secret of somebody else under our name has none.
type fallbackClient struct {
	client.Client
	live client.Reader
}

// Get reads an object. A terminating one from the cache may be gone already.
func (c fallbackClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	err := c.Client.Get(ctx, key, obj, opts...)
	if apierrors.IsNotFound(err) || (err == nil && obj.GetDeletionTimestamp() != nil) {
		// What the answer lacks would stay as the cache had it.
		reflect.ValueOf(obj).Elem().SetZero()
		return c.live.Get(ctx, key, obj, opts...)
	}
	return err
}
