// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrTokenPending says that the plane has not filled the token Secret yet.
var ErrTokenPending = errors.New("the infra plane has not issued the token yet")

// Token is a credential of the account. It is never logged; String hides it.
type Token struct {
	// Value is what is presented.
	Value string
	// SecretName is the Secret on the plane that holds the token or that it is bound to.
	SecretName string
	// Account is the UID of the ServiceAccount that it is for.
	Account types.UID
	// IssuedAt is when the Secret was made or the token was requested.
	IssuedAt time.Time
	// ExpiresAt is what the plane returned; zero for a token without expiry.
	ExpiresAt time.Time
}

// String keeps the token out of formatted output.
func (Token) String() string { return "token (redacted)" }

// GoString keeps the token out of %#v.
func (t Token) GoString() string { return t.String() }

// Format keeps the token out of every other verb, such as %d.
func (t Token) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, t.String()) }

// MarshalText keeps the token out of JSON and structured logs.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// freshTokenName is never used twice: a token without expiry carries only the
// name of its Secret, so another one of that name would revive it.
func (p *Plane) freshTokenName() string {
	return p.wanted.FirstTokenName() + "-" + utilrand.String(10)
}

// isTokenName tells names made by this package from all others.
func (p *Plane) isTokenName(name string) bool {
	first := p.wanted.FirstTokenName()
	return name == first || strings.HasPrefix(name, first+"-")
}

// tokenSecret reads one of the account's Secrets; nil if absent.
func (p *Plane) tokenSecret(ctx context.Context, name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := p.client.Get(ctx, types.NamespacedName{Namespace: p.wanted.Account.Namespace, Name: name}, secret)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // absent is not an error here
	}
	if err != nil {
		return nil, fmt.Errorf("read token Secret %s: %w", name, err)
	}
	return secret, nil
}

// tokenSecrets lists the registration's token Secrets by marker, sorted by name.
func (p *Plane) tokenSecrets(ctx context.Context) ([]corev1.Secret, error) {
	var list corev1.SecretList
	err := p.client.List(ctx, &list, client.InNamespace(p.wanted.Account.Namespace),
		client.MatchingLabels(p.wanted.Marker.Labels()))
	if err != nil {
		return nil, fmt.Errorf("list token Secrets: %w", err)
	}
	found := slices.DeleteFunc(list.Items, func(s corev1.Secret) bool {
		return !p.wanted.Marker.Owns(&s) || !p.isTokenName(s.Name)
	})
	slices.SortFunc(found, func(a, b corev1.Secret) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// PruneTokens deletes the registration's token Secrets but the one named keep and those
// whose time of withdrawal has not come, which withdraws the tokens that they hold or that
// are bound to them. See NextWithdrawal for those.
func (p *Plane) PruneTokens(ctx context.Context, keep string) error {
	secrets, err := p.tokenSecrets(ctx)
	if err != nil {
		return err
	}
	return p.pruneAmong(ctx, secrets, keep)
}

func (p *Plane) pruneAmong(ctx context.Context, secrets []corev1.Secret, keep string) error {
	p.sweepAt = time.Time{}
	for i := range secrets {
		if secrets[i].Name == keep {
			continue
		}
		if at, withdrawn := withdrawal(&secrets[i]); withdrawn && p.now().Before(at) {
			if p.sweepAt.IsZero() || at.Before(p.sweepAt) {
				p.sweepAt = at
			}
			continue
		}
		if err := p.remove(ctx, &secrets[i]); err != nil {
			return fmt.Errorf("delete token Secret %s: %w", secrets[i].Name, err)
		}
	}
	return nil
}

// NextWithdrawal is when PruneTokens or KeepToken, whichever was called last, will have
// something to delete; zero if there is nothing.
func (p *Plane) NextWithdrawal() time.Time { return p.sweepAt }

// ErrTokenGone says that the Secret of the stored token is no longer what it was.
var ErrTokenGone = errors.New("the token's Secret on the infra plane is gone")

// KeepToken looks whether the Secret of the stored token is still there, mends its marker,
// and deletes the registration's other token Secrets that are not withdrawn for later: what
// an interrupted rotation left. Account must have been called.
func (p *Plane) KeepToken(ctx context.Context, name string, bound bool) error {
	secrets, err := p.tokenSecrets(ctx)
	if err != nil {
		return err
	}
	var kept *corev1.Secret
	if at := slices.IndexFunc(secrets, func(s corev1.Secret) bool { return s.Name == name }); at >= 0 {
		kept = &secrets[at]
	} else if kept, err = p.tokenSecret(ctx, name); err != nil {
		// It is not in the list if it has lost the label.
		return err
	}
	if kept == nil || kept.DeletionTimestamp != nil || !p.wanted.Marker.Owns(kept) {
		return ErrTokenGone
	}
	o := p.tokenPiece(name, kept)
	if bound {
		o = p.anchorPiece(name, p.account, kept)
	}
	if o.immovable() {
		return ErrTokenGone
	}
	if err := p.ensureOver(ctx, o, true); err != nil {
		return err
	}
	return p.pruneAmong(ctx, secrets, name)
}
