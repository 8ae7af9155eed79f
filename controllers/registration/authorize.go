// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"
	"fmt"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// errInsufficient says that the registration's own token cannot do what is needed, and
// errDead, which is one, that it cannot do anything.
var (
	errInsufficient = errors.New("the registration's own token lacks a right")
	errDead         = fmt.Errorf("%w: it is no longer accepted", errInsufficient)
)

// authorize claims the cluster and makes the account and its rights.
func (r *Reconciler) authorize(ctx context.Context, s *scope) error {
	if err := s.plane.Claim(ctx); err != nil {
		return s.unauthorized(err)
	}
	account, err := s.plane.Account(ctx)
	if err != nil {
		return s.unauthorized(err)
	}
	if err := s.plane.Access(ctx, account); err != nil {
		return s.unauthorized(err)
	}
	s.record.right, s.record.sampled = s.plane.Right(), true
	if s.ofAnotherSpec() {
		// Another spec may have granted what this one does not.
		if err := s.plane.RemoveStale(ctx, s.report.objects); err != nil {
			return s.unauthorized(err)
		}
	}
	s.account, s.report.account = account, account
	s.granted()
	return nil
}

// ofAnotherSpec tells that what is on the plane may be of an earlier spec: a credential that
// is gone does not say which one it was for.
func (s *scope) ofAnotherSpec() bool {
	if s.stored == nil {
		return len(s.report.objects) > 0 || s.plane.Inherited()
	}
	return s.stored.generation != s.reg.Generation
}

func (s *scope) granted() {
	if s.wanted.Binding == v1alpha1.BindingNone {
		s.yes(v1alpha1.ConditionAuthorized, v1alpha1.ReasonGrantedByOwner, "`spec.access.binding` is None: the owner of the infra plane grants rights")
		return
	}
	s.yes(v1alpha1.ConditionAuthorized, v1alpha1.ReasonGranted, "")
}

// unauthorized reports a failure on the condition that it is about.
func (s *scope) unauthorized(err error) error {
	kind := remote.Classify(err).Kind
	if errors.Is(err, provision.ErrLifeline) {
		return errInsufficient
	}
	if !s.admin && refused(kind) {
		return insufficiency(kind)
	}
	p := onPlane(err)
	if p.err == nil && transport(kind) {
		return s.no(v1alpha1.ConditionReachable, p)
	}
	if kind == remote.NotFound {
		p.message = "A namespace or role that the spec names does not exist on the infra plane: create it there or change `spec.serviceAccount` or `spec.access`"
	}
	return s.no(v1alpha1.ConditionAuthorized, p)
}

// refused tells answers by which a credential is found not to be enough.
func refused(kind remote.Kind) bool {
	return kind == remote.Unauthorized || kind == remote.Forbidden || kind == remote.EscalationForbidden
}

// insufficiency is what a refusal says about the registration's own token.
func insufficiency(kind remote.Kind) error {
	if kind == remote.Unauthorized {
		return errDead
	}
	return errInsufficient
}
