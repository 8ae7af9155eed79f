// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const releaseTimeout = 5 * time.Second

// releaseLease deletes the node's lease. Each kwok holds it under a name of its own, so the next one
// would do nothing until the lease of one that has ended runs out.
func releaseLease(ctx context.Context, kube client.Client) error {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: Name}}
	if err := client.IgnoreNotFound(kube.Delete(ctx, lease)); err != nil {
		return fmt.Errorf("delete the lease of Node %s: %w", Name, err)
	}
	return nil
}

// releaser is releaseLease as far as it can be had: without it a restart takes longer, no more.
func releaser(kube client.Client) func(context.Context) {
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
		defer cancel()
		_ = releaseLease(ctx, kube)
	}
}
