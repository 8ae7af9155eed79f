// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"time"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// An API server goes on accepting a token that it has just seen for about ten seconds, and
// each of several API servers behind one address does so by itself: one refusal proves
// nothing.
const (
	proofRefusals = 3
	proofTime     = 30 * time.Second
	proofInterval = 10 * time.Second
)

// proveRevocation presents the stored token until the plane has refused it often and long
// enough, each time over a connection of its own.
func (r *Reconciler) proveRevocation(ctx context.Context, s *scope) error {
	if !s.usable() {
		return r.tellHidden(s)
	}
	now := r.clock.Now()
	refused, err := r.refuses(ctx, s)
	if err != nil {
		p := onPlane(err)
		s.record.refusals = 0
		return &problem{reason: v1alpha1.ReasonRevocationUnproven, message: "The infra plane cannot be asked whether it refuses the token: " + p.message, backoff: true}
	}
	if !refused {
		s.record.refusals = 0
		return waiting(proofInterval, v1alpha1.ReasonRevocationUnproven, "The infra plane still accepts the token")
	}
	if s.record.refusals == 0 {
		s.record.refusedSince = now
	}
	s.record.refusals++
	if s.record.refusals >= proofRefusals && now.Sub(s.record.refusedSince) >= proofTime {
		return r.tellHidden(s)
	}
	return waiting(proofInterval, v1alpha1.ReasonRevocationUnproven, "The infra plane refuses the token; that is watched for a while")
}

// refuses asks the plane, with the token, who it is. Only an API server's own answer counts.
func (r *Reconciler) refuses(ctx context.Context, s *scope) (bool, error) {
	conn, err := r.pool.Fresh(s.key, s.stored.endpoint(), kubeconfig.Credential{BearerToken: s.stored.token.Value})
	if err != nil {
		return false, err
	}
	defer conn.Close()
	_, err = conn.WhoAmI(ctx)
	if f := remote.Classify(err); f.Kind == remote.Unauthorized && f.FromAPI {
		return true, nil
	}
	return false, err
}

// tellHidden reports what the registration's own token could not look at any more.
func (r *Reconciler) tellHidden(s *scope) error {
	if len(s.record.hidden) > 0 {
		r.metrics.leftovers.Add(float64(len(s.record.hidden)))
		s.events = append(s.events, leftBehind(joined(s.record.hidden)))
	}
	return nil
}
