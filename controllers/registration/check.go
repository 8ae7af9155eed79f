// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// due tells whether the stored credential has to be looked at on the plane.
func (s *scope) due(now time.Time) bool {
	return s.record.proven == nil || s.record.generation != s.reg.Generation || s.record.rebuild ||
		!now.Before(s.record.nextCheck) || reached(s.record.sweepAt, now) || s.rotationDue(now)
}

// reached tells whether a time that may be never has come.
func reached(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }

// next is the soonest of times that may be never.
func next(times ...time.Time) time.Time {
	var soonest time.Time
	for _, t := range times {
		if !t.IsZero() && (soonest.IsZero() || t.Before(soonest)) {
			soonest = t
		}
	}
	return soonest
}

// lost tells that what the plane has accepted is no longer what is stored. It is put back
// from memory first, and looked at on the plane when the cache shows it again.
func (r *Reconciler) lost(s *scope, now time.Time) bool {
	if s.record.generation != s.reg.Generation || s.usable() {
		return false
	}
	s.record.nextCheck = now.Add(time.Second)
	return true
}

// check asks the plane, with the registration's own token, whether all is as it should
// be: one call, or one for each object in every tenth check. It returns errInsufficient
// if the token cannot mend what is wrong.
func (r *Reconciler) check(ctx context.Context, s *scope) error {
	s.endpoint, s.token, s.account = s.stored.endpoint(), s.stored.token, s.stored.token.Account
	s.inputs, s.renewAt = s.stored.inputs, s.stored.renewAt
	if err := r.connectOwn(s); err != nil {
		return err
	}
	allowed, err := r.ask(ctx, s)
	if errors.Is(err, errInsufficient) {
		return err
	}
	if err != nil {
		kind := remote.Classify(err).Kind
		if refused(kind) {
			return insufficiency(kind)
		}
		p := onPlane(err)
		if p.err != nil {
			return p
		}
		return s.no(v1alpha1.ConditionReachable, p)
	}
	s.yes(v1alpha1.ConditionReachable, v1alpha1.ReasonConnected, "")
	s.confirm(v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonNotRequired, ownToken)
	s.record.checks++
	if audit := !allowed || s.doubtful() || s.unsampled() || s.record.checks%auditEvery == 0; audit && s.wanted.Binding != v1alpha1.BindingNone {
		if err := r.audit(ctx, s); err != nil {
			return err
		}
	}
	s.granted()
	s.yes(v1alpha1.ConditionTokenIssued, v1alpha1.ReasonVerified, "")
	return r.keepTokens(ctx, s)
}

// keepTokens withdraws and replaces tokens in time.
func (r *Reconciler) keepTokens(ctx context.Context, s *scope) error {
	now := r.clock.Now()
	sweep, rotate := reached(s.record.sweepAt, now), s.rotationDue(now)
	if !s.wanted.KeepsTokens() {
		return r.leaveTokens(ctx, s, sweep, rotate)
	}
	if sweep {
		if err := s.plane.PruneTokens(ctx, s.stored.token.SecretName); err != nil {
			return s.untrusted(err)
		}
		s.record.sweepAt = s.plane.NextWithdrawal()
	}
	if rotate {
		return r.rotate(ctx, s)
	}
	return nil
}

// doubtful tells that an earlier audit has found something that it could not mend: only
// another audit can say that it is right again.
func (s *scope) doubtful() bool {
	return s.conds.Get(v1alpha1.ConditionAuthorized).Status != metav1.ConditionTrue ||
		s.conds.Get(v1alpha1.ConditionTokenIssued).Status != metav1.ConditionTrue
}

// unsampled tells that it is not known yet what to ask about.
func (s *scope) unsampled() bool {
	return s.wanted.ClusterRole != provision.DefaultClusterRole && !s.record.sampled
}

// ask makes the one call: what the account may do, or without rights of ours who it is.
func (r *Reconciler) ask(ctx context.Context, s *scope) (bool, error) {
	if s.wanted.Binding == v1alpha1.BindingNone {
		who, err := s.conn.WhoAmI(ctx)
		if err == nil && !s.isAccount(who) {
			err = errDead
		}
		return true, err
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: question(&s.wanted, s.record.right, s.record.checks),
	}}
	err := s.conn.Client().Create(ctx, review)
	return review.Status.Allowed, err
}

// question is about a right that goes when the binding goes. For a role whose rules are
// not known it is one of the rights by which the account looks after itself; audits do
// the rest.
func question(w *provision.Wanted, right *authorizationv1.ResourceAttributes, turn int) *authorizationv1.ResourceAttributes {
	a := &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"}
	if w.ClusterRole != provision.DefaultClusterRole {
		if right == nil {
			return &authorizationv1.ResourceAttributes{
				Verb: "get", Resource: "serviceaccounts", Namespace: w.Account.Namespace, Name: w.Account.Name,
			}
		}
		a = right.DeepCopy()
	}
	if len(w.Namespaces) > 0 {
		a.Namespace = w.Namespaces[turn%len(w.Namespaces)]
	}
	return a
}

// audit reads every recorded object and mends what the token may mend.
func (r *Reconciler) audit(ctx context.Context, s *scope) error {
	if err := r.authorize(ctx, s); err != nil {
		return err
	}
	if s.account != s.stored.token.Account {
		// Another ServiceAccount has taken the place of the token's.
		return errDead
	}
	err := r.keepSecret(ctx, s)
	if errors.Is(err, provision.ErrTokenGone) {
		return errInsufficient
	}
	if err != nil {
		return s.untrusted(err)
	}
	s.report.objects = s.plane.Objects()
	s.repairs()
	return nil
}

// repairs tells of what was mended.
func (s *scope) repairs() {
	for _, o := range s.plane.Wrote() {
		if o.Kind == "Secret" && o.Name != s.stored.lastName {
			// A new token has an event of its own.
			continue
		}
		s.events = append(s.events, repaired(describeObject(o)))
	}
}

// proven remembers that the plane has accepted what is stored.
func (r *Reconciler) proven(s *scope) {
	intent := s.infraPlane()
	s.record.proven, s.record.generation = &intent, s.reg.Generation
	s.record.rebuild, s.record.rotateAt, s.record.recalled = false, s.renewAt, true
	s.record.nextCheck = r.clock.Now().Add(r.jitter(r.options.CheckPeriod))
	s.record.recover()
}

// jitter spreads a period by a tenth either way, so that planes registered together are
// not checked together.
func (r *Reconciler) jitter(period time.Duration) time.Duration {
	return time.Duration(float64(period) * (0.9 + 0.2*r.random()))
}
