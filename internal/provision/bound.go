// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
)

// Bound requests a token that expires. It is bound to an anchor Secret made for it
// alone: deleting that withdraws it. Last is the anchor of the token that was
// stored before, empty if there never was one; it is left for PruneTokens.
//
// A token that was requested and lost again is nobody's, so an anchor without a
// stored token is deleted here. Calling it with the token that is stored and works is how
// that one is replaced.
func (p *Plane) Bound(ctx context.Context, account types.UID, last string, life time.Duration) (Token, error) {
	name, adopted := p.wanted.FirstTokenName(), false
	if last == "" {
		stale, err := p.tokenSecret(ctx, name)
		if err != nil {
			return Token{}, err
		}
		if stale != nil {
			if adopted, err = p.adoptToken(ctx, stale); err != nil {
				return Token{}, err
			}
			name = ""
		}
	}
	switch {
	case adopted:
		// Whoever uses the token that was taken over gets time to take the new one.
		name = p.freshTokenName()
	case last != "" || name == "":
		if err := p.PruneTokens(ctx, last); err != nil {
			return Token{}, err
		}
		name = p.freshTokenName()
	}
	anchor, err := p.anchor(ctx, name, account)
	if err != nil {
		return Token{}, err
	}
	seconds := int64(life / time.Second)
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: &seconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Secret", Name: name, UID: anchor},
	}}
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{
		Namespace: p.wanted.Account.Namespace, Name: p.wanted.Account.Name,
	}}
	if err := p.client.SubResource("token").Create(ctx, sa, request); err != nil {
		return Token{}, fmt.Errorf("request token: %w", err)
	}
	if request.Status.Token == "" {
		return Token{}, ErrTokenPending
	}
	return Token{
		Value: request.Status.Token, SecretName: name, Account: account,
		ExpiresAt: request.Status.ExpirationTimestamp.Time,
	}, nil
}

// anchor makes an empty Secret and returns its UID.
func (p *Plane) anchor(ctx context.Context, name string, account types.UID) (types.UID, error) {
	live := &corev1.Secret{}
	err := p.create(ctx, p.anchorPiece(name, account, live))
	return live.UID, err
}

func (p *Plane) anchorPiece(name string, account types.UID, live *corev1.Secret) piece {
	owner := metav1ac.OwnerReference().WithAPIVersion("v1").WithKind("ServiceAccount").
		WithName(p.wanted.Account.Name).WithUID(account)
	return piece{
		apiVersion: "v1", kind: "Secret", live: live,
		key: types.NamespacedName{Namespace: p.wanted.Account.Namespace, Name: name},
		intent: func() runtime.ApplyConfiguration {
			return corev1ac.Secret(name, p.wanted.Account.Namespace).
				WithLabels(p.wanted.Marker.Labels()).
				WithAnnotations(p.wanted.Marker.Annotations()).
				WithOwnerReferences(owner).
				WithType(corev1.SecretTypeOpaque)
		},
		immovable: func() bool { return live.Type != corev1.SecretTypeOpaque },
	}
}

// adoptToken makes sure that the Secret of the first token is the registration's. It reports whether
// it has just taken it over, with a token that others may be using.
func (p *Plane) adoptToken(ctx context.Context, found *corev1.Secret) (bool, error) {
	if p.wanted.Marker.Owns(found) {
		return false, nil
	}
	o := p.tokenPiece(found.Name, found)
	o.adoptable = func() bool { return p.isOfAccount(found) }
	if err := p.ensureOver(ctx, o, true); err != nil {
		return false, err
	}
	return true, nil
}
