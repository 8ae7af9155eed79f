// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// issue makes sure of a token that the final endpoint accepts: the stored one, or else a
// new one.
func (r *Reconciler) issue(ctx context.Context, s *scope) error {
	if s.usable() && s.stored.token.Account == s.account && s.stored.inputs == s.inputs && !reached(s.stored.renewAt, r.clock.Now()) {
		err := r.verify(ctx, s, s.stored.token)
		if err == nil {
			err = r.keepSecret(ctx, s)
		}
		if err == nil {
			s.token, s.renewAt = s.stored.token, s.stored.renewAt
			s.yes(v1alpha1.ConditionTokenIssued, v1alpha1.ReasonVerified, "")
			return nil
		}
		if !unusable(err) {
			return s.untrusted(err)
		}
		s.refused = !errors.Is(err, provision.ErrTokenGone)
	}
	token, err := r.mint(ctx, s)
	if errors.Is(err, provision.ErrTokenPending) {
		return s.unknown(v1alpha1.ConditionTokenIssued, onPlane(err))
	}
	return r.prove(ctx, s, token, err)
}

// prove makes a token that has just been issued the one to be stored, if the final endpoint
// accepts it.
func (r *Reconciler) prove(ctx context.Context, s *scope, token provision.Token, err error) error {
	if err == nil {
		err = r.verify(ctx, s, token)
	}
	if errors.Is(err, errNotAccepted) && tokenType(s.reg) == v1alpha1.TokenLongLived && !s.refused {
		// Its Secret may be older than the plane's signing key, and is not filled anew.
		s.refused = true
		next, err := s.plane.ReplaceLongLived(ctx, s.account, token.SecretName)
		if errors.Is(err, provision.ErrTokenPending) {
			return s.unknown(v1alpha1.ConditionTokenIssued, onPlane(err))
		}
		return r.prove(ctx, s, next, err)
	}
	r.metrics.rotated(err)
	if err != nil {
		return s.untrusted(err)
	}
	return r.take(ctx, s, token)
}

// take makes a proven token the one to be stored. The one that it replaces goes on for a
// while: it is marked first, so that it is withdrawn also if this is the last thing done.
func (r *Reconciler) take(ctx context.Context, s *scope, token provision.Token) error {
	now := r.clock.Now()
	if s.usable() && s.stored.token.Account == s.account && s.stored.token.SecretName != token.SecretName {
		until := now.Add(r.options.TokenOverlap)
		if err := s.plane.WithdrawToken(ctx, s.stored.token.SecretName, until); err != nil {
			return s.untrusted(err)
		}
		s.record.sweepAt = until
	}
	s.token, s.minted, s.renewAt = token, true, r.renewal(token, now)
	s.yes(v1alpha1.ConditionTokenIssued, v1alpha1.ReasonVerified, "")
	return nil
}

// unusable tells failures after which another token has to take the stored one's place.
func unusable(err error) bool {
	return errors.Is(err, errNotAccepted) || errors.Is(err, errOtherIdentity) || errors.Is(err, provision.ErrTokenGone)
}

// mint gets a new token from the plane.
func (r *Reconciler) mint(ctx context.Context, s *scope) (provision.Token, error) {
	last := ""
	if s.stored != nil {
		last = s.stored.lastName
	}
	if last == "" {
		// The Secret has been lost, the record of what was in it has not.
		last = s.report.token.SecretName
	}
	s.prune = s.prune || last != ""
	another := s.usable() && s.stored.token.Account == s.account && (s.stored.inputs != s.inputs || s.refused)
	if another || tokenType(s.reg) == v1alpha1.TokenBound {
		return r.replacement(ctx, s, last)
	}
	return s.plane.LongLived(ctx, s.account, last)
}

// What the endpoint may say of a token that is presented to it.
var (
	errNotAccepted   = errors.New("the token is not accepted")
	errOtherIdentity = errors.New("the token is accepted as another identity")
)

// verify presents a token to the final endpoint over a connection of its own.
func (r *Reconciler) verify(ctx context.Context, s *scope, token provision.Token) error {
	conn, err := r.pool.Fresh(s.key, s.endpoint, kubeconfig.Credential{BearerToken: token.Value})
	if err != nil {
		return err
	}
	defer conn.Close()
	who, err := conn.WhoAmI(ctx)
	if remote.Classify(err).Kind == remote.Unauthorized {
		return errNotAccepted
	}
	if err != nil {
		return err
	}
	if !s.isAccount(who) {
		return errOtherIdentity
	}
	return nil
}

// isAccount tells whether a plane takes a token for that of the registration's account.
func (s *scope) isAccount(who remote.Identity) bool {
	return who.Username == s.wanted.Username() && who.UID == string(s.account)
}

// untrusted reports a failure to get or to prove a token.
func (s *scope) untrusted(err error) error {
	kind := remote.Classify(err).Kind
	switch {
	case errors.Is(err, errOtherIdentity):
		return s.no(v1alpha1.ConditionTokenIssued, &problem{
			reason: v1alpha1.ReasonTokenRejected, backoff: true,
			message: "The endpoint accepts the token as another identity than " + s.wanted.Username() + ": check that `spec.endpoint.server` is the same cluster as the kubeconfig's",
		})
	case errors.Is(err, errNotAccepted):
		return s.no(v1alpha1.ConditionTokenIssued, &problem{
			reason: v1alpha1.ReasonTokenRejected, backoff: true,
			message: "The endpoint does not accept the token that the infra plane issued: check that `spec.endpoint.server` is the same cluster as the kubeconfig's",
		})
	case !s.admin && refused(kind):
		return insufficiency(kind)
	}
	p := onPlane(err)
	if p.err == nil && transport(kind) {
		return s.no(v1alpha1.ConditionReachable, p)
	}
	return s.no(v1alpha1.ConditionTokenIssued, p)
}

func (s *scope) reportToken() {
	s.report.token = v1alpha1.TokenStatus{Type: tokenType(s.reg), SecretName: s.token.SecretName, IssuedAt: seconds(s.token.IssuedAt)}
	if !s.token.ExpiresAt.IsZero() {
		s.report.token.ExpiresAt = seconds(s.token.ExpiresAt)
	}
}

// seconds is a time as the API stores it.
func seconds(t time.Time) metav1.Time { return metav1.NewTime(t).Rfc3339Copy() }
