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

// LongLived returns the token that the plane's token controller writes into a
// Secret, or ErrTokenPending. Last is the Secret of the token that was stored
// before, empty if there never was one: if it can no longer be used, a Secret of a
// fresh name takes its place.
func (p *Plane) LongLived(ctx context.Context, account types.UID, last string) (Token, error) {
	if last == "" && p.inherited {
		// Whatever name the token has that nobody remembers, no other may take its first one.
		left, err := p.tokenSecrets(ctx)
		if err != nil {
			return Token{}, err
		}
		if len(left) > 0 {
			return p.ReplaceLongLived(ctx, account, "")
		}
	}
	name := last
	if name == "" {
		name = p.wanted.FirstTokenName()
	}
	secret, err := p.tokenSecret(ctx, name)
	if err != nil {
		return Token{}, err
	}
	if last == "" || (secret != nil && p.usable(secret, account)) {
		return p.longLivedOver(ctx, name, secret, account)
	}
	return p.ReplaceLongLived(ctx, account, last)
}

// ReplaceLongLived returns the token of another Secret than last, or ErrTokenPending.
func (p *Plane) ReplaceLongLived(ctx context.Context, account types.UID, last string) (Token, error) {
	// An earlier attempt may have been cut off: use what it made.
	made, err := p.tokenSecrets(ctx)
	if err != nil {
		return Token{}, err
	}
	for i := range made {
		if _, withdrawn := withdrawal(&made[i]); !withdrawn && made[i].Name != last && p.usable(&made[i], account) {
			return p.longLivedOver(ctx, made[i].Name, &made[i], account)
		}
	}
	return p.longLivedOver(ctx, p.freshTokenName(), nil, account)
}

// usable tells whether a Secret holds the account's token or will soon.
func (p *Plane) usable(s *corev1.Secret, account types.UID) bool {
	uid := s.Annotations[corev1.ServiceAccountUIDKey]
	return s.DeletionTimestamp == nil && p.wanted.Marker.Owns(s) &&
		s.Type == corev1.SecretTypeServiceAccountToken &&
		s.Annotations[corev1.ServiceAccountNameKey] == p.wanted.Account.Name &&
		(uid == "" || uid == string(account))
}

// longLivedOver makes sure of a token Secret that has been read, or found to be absent, and
// returns the token in it.
func (p *Plane) longLivedOver(ctx context.Context, name string, found *corev1.Secret, account types.UID) (Token, error) {
	live := &corev1.Secret{}
	if found != nil {
		live = found
	}
	ofAccount := func() bool { return p.isOfAccount(live) }
	o := p.tokenPiece(name, live)
	o.adoptable = ofAccount
	if err := p.ensureOver(ctx, o, found != nil); err != nil {
		return Token{}, err
	}
	value := string(live.Data[corev1.ServiceAccountTokenKey])
	// A Secret is never trusted for its name alone.
	if value == "" || !ofAccount() || live.Annotations[corev1.ServiceAccountUIDKey] != string(account) {
		return Token{}, ErrTokenPending
	}
	return Token{Value: value, SecretName: name, Account: account, IssuedAt: live.CreationTimestamp.Time}, nil
}

// isOfAccount tells that a Secret is for the account's token.
func (p *Plane) isOfAccount(s *corev1.Secret) bool {
	return s.Type == corev1.SecretTypeServiceAccountToken && s.Annotations[corev1.ServiceAccountNameKey] == p.wanted.Account.Name
}

// tokenPiece is the Secret that the token controller fills.
func (p *Plane) tokenPiece(name string, live *corev1.Secret) piece {
	return piece{
		apiVersion: "v1", kind: "Secret", live: live,
		key: types.NamespacedName{Namespace: p.wanted.Account.Namespace, Name: name},
		intent: func() runtime.ApplyConfiguration {
			return corev1ac.Secret(name, p.wanted.Account.Namespace).
				WithLabels(p.wanted.Marker.Labels()).
				WithAnnotations(p.wanted.Marker.Annotations()).
				WithAnnotations(map[string]string{corev1.ServiceAccountNameKey: p.wanted.Account.Name}).
				WithType(corev1.SecretTypeServiceAccountToken)
		},
		immovable: func() bool { return live.Type != corev1.SecretTypeServiceAccountToken },
	}
}
