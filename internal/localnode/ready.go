// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	readyTimeout  = time.Minute
	readyInterval = 100 * time.Millisecond
)

// awaitReady waits until the node is Ready and nothing keeps Pods away from it.
func awaitReady(ctx context.Context, kube client.Client) error {
	err := wait.PollUntilContextTimeout(ctx, readyInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		node := &corev1.Node{}
		if err := kube.Get(ctx, client.ObjectKey{Name: Name}, node); err != nil {
			return false, err
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				return len(node.Spec.Taints) == 0, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("wait for Node %s: %w", Name, err)
	}
	return nil
}
