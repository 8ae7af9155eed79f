// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	namespacePrefix = "test-"
	cleanupTimeout  = 10 * time.Second
)

// Namespace makes a namespace for one test and returns its name, which the
// server chose. It is deleted in tb's cleanup, without waiting for the end of
// the deletion.
func Namespace(tb testing.TB, c client.Client) string {
	tb.Helper()
	ctx := tb.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: namespacePrefix}}
	if err := c.Create(ctx, namespace); err != nil {
		tb.Fatalf("create namespace: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		if err := c.Delete(ctx, namespace); err != nil && !apierrors.IsNotFound(err) {
			tb.Errorf("delete namespace %s: %v", namespace.Name, err)
		}
	})
	return namespace.Name
}
