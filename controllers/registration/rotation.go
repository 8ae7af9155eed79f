// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
)

// inputs are what a token is issued for: hashes of the part of the spec that it depends on
// and of the bootstrap kubeconfig. Other inputs ask for another token.
type inputs struct {
	spec, bootstrap string
}

// String is how inputs are written down.
func (i inputs) String() string { return i.spec + "." + i.bootstrap }

func parseInputs(text string) inputs {
	spec, bootstrap, _ := strings.Cut(text, ".")
	return inputs{spec: spec, bootstrap: bootstrap}
}

// specInputs leaves out what is only passed on or only about this side.
func specInputs(reg *v1alpha1.ClusterRegistration) string {
	text, err := json.Marshal([]any{
		reg.Spec.Bootstrap.KubeconfigSecretRef, reg.Spec.Bootstrap.Context, reg.Spec.Endpoint, reg.Spec.Access, reg.Spec.Token,
		reg.Annotations[v1alpha1.RotateRequestedAtAnnotation],
	})
	if err != nil {
		// Plain data always encodes.
		return ""
	}
	return digest(string(text))
}

// digest is short, and of a kubeconfig no help in guessing it.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// minimumInterval between two tokens of a registration, whatever asks for them: a server
// that grants next to no life must not be asked for tokens all the time.
const minimumInterval = time.Minute

// rotationDue tells whether the stored token works but is to be replaced.
func (s *scope) rotationDue(now time.Time) bool {
	if s.stored == nil || !s.stored.authentic {
		return false
	}
	if since := now.Sub(s.stored.token.IssuedAt); since >= 0 && since < minimumInterval {
		return false
	}
	return s.stored.inputs.spec != specInputs(s.reg) || reached(s.stored.renewAt, now)
}

// renewal is at about four fifths of a token's life, counted from now by our own clock;
// zero for a token without expiry.
func (r *Reconciler) renewal(token provision.Token, now time.Time) time.Time {
	if token.ExpiresAt.IsZero() {
		return time.Time{}
	}
	life := token.Life()
	if life == 0 {
		life = token.ExpiresAt.Sub(now)
	}
	return now.Add(max(time.Duration(float64(life)*(0.75+0.1*r.random())), minimumInterval))
}

// rotate replaces the stored token with the registration's own rights.
func (r *Reconciler) rotate(ctx context.Context, s *scope) error {
	s.inputs = inputs{spec: specInputs(s.reg), bootstrap: s.stored.inputs.bootstrap}
	token, err := r.replacement(ctx, s, s.stored.token.SecretName)
	if errors.Is(err, provision.ErrTokenPending) {
		// The stored token still works: nothing to report.
		return onPlane(err)
	}
	return r.prove(ctx, s, token, err)
}

// replacement gets a token other than that of the Secret last.
func (r *Reconciler) replacement(ctx context.Context, s *scope, last string) (provision.Token, error) {
	if tokenType(s.reg) == v1alpha1.TokenLongLived {
		return s.plane.ReplaceLongLived(ctx, s.account, last)
	}
	token, err := s.plane.Bound(ctx, s.account, last, tokenLife(s.reg))
	token.IssuedAt = r.clock.Now()
	return token, err
}
