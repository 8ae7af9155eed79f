// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// WithdrawToken says from when on a token Secret that is no longer the stored one is to be
// deleted; until then whoever still uses its token may go on. A Secret that is gone, or of
// somebody else, is left alone.
func (p *Plane) WithdrawToken(ctx context.Context, name string, at time.Time) error {
	secret, err := p.tokenSecret(ctx, name)
	if err != nil || secret == nil || !p.wanted.Marker.Owns(secret) {
		return err
	}
	if earlier, withdrawn := withdrawal(secret); withdrawn && p.now().Before(earlier) {
		return nil
	}
	intent := corev1ac.Secret(name, p.wanted.Account.Namespace).WithUID(secret.UID).
		WithAnnotations(map[string]string{ccluster.WithdrawAtAnnotation: at.UTC().Format(time.RFC3339)})
	return p.withdrawals.Object(ctx, intent, nil)
}

// withdrawal tells whether a token Secret is withdrawn, and from when on. A time that
// cannot be read has come.
func withdrawal(secret *corev1.Secret) (time.Time, bool) {
	text, ok := secret.Annotations[ccluster.WithdrawAtAnnotation]
	if !ok {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, true
	}
	return at, true
}
