// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// identify returns the control plane's ID: the given one, or the UID of its Namespace
// kube-system, which is as old as the cluster and no other cluster's.
func identify(ctx context.Context, live client.Reader, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	namespace := &corev1.Namespace{}
	if err := live.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, namespace); err != nil {
		return "", fmt.Errorf("read Namespace %s, whose UID is the default of --control-plane-id: %w", metav1.NamespaceSystem, err)
	}
	if id := string(namespace.UID); dnsLabel(id) {
		return id, nil
	}
	return "", fmt.Errorf("the UID of Namespace %s is not a DNS label: set --control-plane-id", metav1.NamespaceSystem)
}
