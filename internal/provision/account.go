// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
)

// Account makes the ServiceAccount and returns its UID.
func (p *Plane) Account(ctx context.Context) (types.UID, error) {
	live := &corev1.ServiceAccount{}
	err := p.ensure(ctx, piece{
		apiVersion: "v1", kind: "ServiceAccount", live: live, key: p.wanted.Account,
		intent: func() runtime.ApplyConfiguration {
			return corev1ac.ServiceAccount(p.wanted.Account.Name, p.wanted.Account.Namespace).
				WithLabels(p.wanted.Marker.Labels()).
				WithAnnotations(p.wanted.Marker.Annotations()).
				// Its token is for the control plane, not for pods here.
				WithAutomountServiceAccountToken(false)
		},
		adoptable: func() bool { return true },
	})
	p.account, p.inherited = live.UID, err == nil && !p.made("ServiceAccount")
	return live.UID, err
}
