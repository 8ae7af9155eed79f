// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// register creates the Node object. One that an earlier node has left names that one's port for
// logs, and kwok changes no Node that is Ready, so it makes place.
func register(ctx context.Context, kube client.Client) error {
	if err := client.IgnoreNotFound(kube.Delete(ctx, object())); err != nil {
		return fmt.Errorf("delete an earlier Node %s: %w", Name, err)
	}
	if err := releaseLease(ctx, kube); err != nil {
		return err
	}
	if err := kube.Create(ctx, object()); err != nil {
		return fmt.Errorf("create Node %s: %w", Name, err)
	}
	return nil
}

func object() *corev1.Node {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("32"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        Name,
			Labels:      map[string]string{"kubernetes.io/hostname": Name, "type": strings.ToLower(Name)},
			Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
		},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
}
