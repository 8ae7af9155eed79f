// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// build makes everything on the plane, with the bootstrap's credential or, where that is
// gone, with the registration's own token, and ends with a token to store.
func (r *Reconciler) build(ctx context.Context, s *scope) error {
	if resumed := r.resume(s); !resumed {
		if err := r.prepare(ctx, s); err != nil {
			return r.insufficient(s, err)
		}
	}
	if err := r.issue(ctx, s); err != nil {
		r.suspendSession(s, err)
		return r.insufficient(s, err)
	}
	s.prune = s.prune || reached(s.record.sweepAt, r.clock.Now())
	s.report.objects = s.plane.Objects()
	if s.stored != nil && s.stored.generation == s.reg.Generation {
		s.repairs()
	}
	s.reportToken()
	return nil
}

// prepare gets as far as everything but the token.
func (r *Reconciler) prepare(ctx context.Context, s *scope) error {
	s.inputs = inputs{spec: specInputs(s.reg)}
	if s.stored != nil {
		s.inputs.bootstrap = s.stored.inputs.bootstrap
	}
	target, found, err := r.bootstrap(ctx, s)
	if err != nil {
		return err
	}
	if !found {
		s.endpoint, err = resolveEndpoint(s.stored.endpoint(), s.reg.Spec.Endpoint, r.options)
		if err != nil {
			return s.no(v1alpha1.ConditionReachable, onPlane(err))
		}
	}
	if err := r.refuseDuplicates(ctx, s); err != nil {
		return err
	}
	if found {
		err = r.connectAdmin(ctx, s, target.Credential)
		if s.outlives(err) {
			// The kubeconfig is of no use any more; the own token may be all that is needed.
			s.inputs.bootstrap = s.stored.inputs.bootstrap
			s.disconnect()
			found = false
		}
	}
	if !found {
		err = r.connectOwn(s)
	}
	if err != nil {
		return err
	}
	if err := r.authorize(ctx, s); err != nil {
		return err
	}
	if !s.admin {
		// It has answered; an admin's connection has been tried before.
		s.yes(v1alpha1.ConditionReachable, v1alpha1.ReasonConnected, "")
	}
	// Only now is the server this registration's: the claim has decided.
	s.report.server = s.endpoint.Server
	return nil
}

// outlives tells that a kubeconfig's credential is refused where the registration's own token
// may be accepted: at the server it is for, and at no other.
func (s *scope) outlives(err error) bool {
	var p *problem
	return errors.As(err, &p) && (p.reason == v1alpha1.ReasonUnauthorized || p.reason == v1alpha1.ReasonForbidden) &&
		s.usable() && s.endpoint.Server == s.stored.plane.Server
}

// insufficient says what is missing when the own token is not enough and no admin
// kubeconfig is there.
func (r *Reconciler) insufficient(s *scope, err error) error {
	if !errors.Is(err, errInsufficient) {
		return err
	}
	condition, what := v1alpha1.ConditionAuthorized, "lacks a right that it has to have"
	if errors.Is(err, errDead) {
		condition, what = v1alpha1.ConditionTokenIssued, "is no longer accepted"
	}
	return s.no(condition, waiting(r.options.CheckPeriod, v1alpha1.ReasonBootstrapRequired,
		"The registration's own token %s: create Secret %s with an admin kubeconfig of the cluster again",
		what, s.reg.Spec.Bootstrap.KubeconfigSecretRef.Name))
}

// resume goes on where an earlier pass waited for the plane to issue the token.
func (r *Reconciler) resume(s *scope) bool {
	waited := s.record.session
	if waited == nil {
		return false
	}
	s.record.session = nil
	if waited.generation != s.reg.Generation || !r.clock.Now().Before(waited.expires) {
		waited.close()
		return false
	}
	s.conn, s.admin, s.plane = waited.conn, waited.admin, waited.plane
	s.endpoint, s.account, s.report, s.inputs = waited.endpoint, waited.account, waited.report, waited.inputs
	for _, c := range waited.found {
		s.conds.Set(c.Type, c.Status, c.Reason, "%s", c.Message)
	}
	return true
}

// suspendSession keeps the plane open while a token is pending.
func (r *Reconciler) suspendSession(s *scope, err error) {
	var p *problem
	if !errors.As(err, &p) || p.reason != v1alpha1.ReasonTokenPending {
		return
	}
	s.record.session = &session{
		generation: s.reg.Generation, expires: r.clock.Now().Add(sessionLife),
		conn: s.conn, admin: s.admin, plane: s.plane,
		endpoint: s.endpoint, account: s.account, report: s.report,
		inputs: s.inputs, found: s.conds.Conditions()[:3],
	}
}
