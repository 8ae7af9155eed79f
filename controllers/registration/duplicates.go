// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// serverIndex finds registrations and planes by the server in their status.
const serverIndex = "status.server"

// refuseDuplicates lets a server be registered once. Whoever has it in their status was
// first; which namespace that is in is not told.
func (r *Reconciler) refuseDuplicates(ctx context.Context, s *scope) error {
	duplicate, err := r.serverTaken(ctx, s)
	if err != nil {
		return onControlPlane(err)
	}
	if duplicate {
		return s.no(v1alpha1.ConditionReachable, waiting(r.options.CheckPeriod, v1alpha1.ReasonServerAlreadyRegistered,
			"Another plane of this control plane has the server %s: delete that one first", s.endpoint.Server))
	}
	return nil
}

func (r *Reconciler) serverTaken(ctx context.Context, s *scope) (bool, error) {
	match := client.MatchingFields{serverIndex: s.endpoint.Server}
	var registrations v1alpha1.ClusterRegistrationList
	if err := r.client.List(ctx, &registrations, match); err != nil {
		return false, fmt.Errorf("look for registrations of the same server: %w", err)
	}
	holding := s.stored != nil
	for i := range registrations.Items {
		other := &registrations.Items[i]
		if other.UID != s.reg.UID && (!holding || precedes(other, s.reg)) {
			return true, nil
		}
	}
	if holding {
		return false, nil
	}
	var planes v1alpha1.CCLInfraPlaneList
	if err := r.client.List(ctx, &planes, match); err != nil {
		return false, fmt.Errorf("look for planes of the same server: %w", err)
	}
	for i := range planes.Items {
		if p := &planes.Items[i]; p.Namespace != s.key.Namespace || p.Name != s.key.Name {
			return true, nil
		}
	}
	return false, nil
}

// precedes decides between two that have registered the same server at the same moment.
func precedes(a, b *v1alpha1.ClusterRegistration) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return client.ObjectKeyFromObject(a).String() < client.ObjectKeyFromObject(b).String()
}
