// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// planeSubResource is planeClient for a subresource.
type planeSubResource struct {
	plane planeClient
	inner client.SubResourceClient
}

func (s planeSubResource) Get(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceGetOption) error {
	return s.plane.do(ctx, "get subresource", func(ctx context.Context) error { return s.inner.Get(ctx, obj, sub, opts...) })
}

func (s planeSubResource) Create(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceCreateOption) error {
	return s.plane.do(ctx, "create subresource", func(ctx context.Context) error { return s.inner.Create(ctx, obj, sub, opts...) })
}

func (s planeSubResource) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	return s.plane.do(ctx, "update subresource", func(ctx context.Context) error { return s.inner.Update(ctx, obj, opts...) })
}

func (s planeSubResource) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	return s.plane.do(ctx, "patch subresource", func(ctx context.Context) error { return s.inner.Patch(ctx, obj, patch, opts...) })
}

func (s planeSubResource) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	return s.plane.do(ctx, "apply subresource", func(ctx context.Context) error { return s.inner.Apply(ctx, obj, opts...) })
}
