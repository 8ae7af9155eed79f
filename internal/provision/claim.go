// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
)

// Claim takes the cluster for the registration: an object whose name is fixed per
// control plane, so that only one registration can hold it. It is the proof
// against registering a cluster twice.
func (p *Plane) Claim(ctx context.Context) error {
	name := p.wanted.claimName()
	live := &corev1.ConfigMap{}
	err := p.ensure(ctx, piece{
		apiVersion: "v1", kind: "ConfigMap", live: live,
		key: types.NamespacedName{Namespace: claimNamespace, Name: name},
		intent: func() runtime.ApplyConfiguration {
			return corev1ac.ConfigMap(name, claimNamespace).
				WithLabels(p.wanted.Marker.Labels()).
				WithAnnotations(p.wanted.Marker.Annotations())
		},
	})
	if _, foreign := errors.AsType[*ForeignError](err); foreign {
		// The name holds the control plane's ID: whoever made it, it is a claim.
		return &ClaimedError{ConfigMap: name}
	}
	return err
}
