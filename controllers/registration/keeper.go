// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"
	"time"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// keeper tells whether the credential that is worked with may see to token Secrets.
func (s *scope) keeper() bool { return s.admin || s.wanted.KeepsTokens() }

// keepSecret looks after the stored token's Secret: the plane may accept the token for a
// while although that is gone. For an account that may not see Secrets, what counts is that
// its token is accepted.
func (r *Reconciler) keepSecret(ctx context.Context, s *scope) error {
	if !s.keeper() {
		s.keepRecord()
		return nil
	}
	err := s.plane.KeepToken(ctx, s.stored.token.SecretName, s.stored.kind == v1alpha1.TokenBound)
	if err == nil {
		s.record.sweepAt = s.plane.NextWithdrawal()
	}
	return err
}

// keepRecord keeps the token's Secret among the remote objects though it was not looked at.
func (s *scope) keepRecord() {
	for _, o := range s.report.objects {
		if o.Kind == "Secret" && o.Name == s.stored.token.SecretName {
			s.plane.Recall(o)
		}
	}
}

// leaveTokens leaves a token that is to be withdrawn or replaced to the bootstrap's
// credential. A former token is no reason to ask for one that has been taken away.
func (r *Reconciler) leaveTokens(ctx context.Context, s *scope, sweep, rotate bool) error {
	if rotate {
		return errInsufficient
	}
	if !sweep {
		return nil
	}
	if _, err := r.readBootstrap(ctx, s); errors.Is(err, errNoBootstrap) {
		s.record.sweepAt = time.Time{}
		return nil
	}
	return errInsufficient
}

// recallSweep finds out after a restart when a former token is to be withdrawn, where the
// own token cannot look: at the latest when the overlap with the stored one ends.
func (r *Reconciler) recallSweep(s *scope) {
	if s.record.recalled || !s.usable() {
		return
	}
	s.record.recalled = true
	if !s.wanted.KeepsTokens() && s.record.sweepAt.IsZero() {
		s.record.sweepAt = s.stored.token.IssuedAt.Add(r.options.TokenOverlap)
	}
}
