// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// removeBootstrap deletes the admin kubeconfig where the spec asks for that. It is called
// when the registration's own token has been proven and stored.
func (r *Reconciler) removeBootstrap(ctx context.Context, s *scope) error {
	if s.reg.Spec.Bootstrap.AfterRegistration != v1alpha1.AfterRegistrationDelete || (s.record.bootstrapRemoved && !s.admin) {
		return nil
	}
	if s.needsBootstrap() {
		if s.admin {
			s.yes(v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonAccepted, keptBootstrap)
		}
		return nil
	}
	secret := &corev1.Secret{}
	err := r.live.Get(ctx, s.objectKey(s.reg.Spec.Bootstrap.KubeconfigSecretRef.Name), secret)
	if err == nil {
		err = r.delete(ctx, secret)
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return s.no(v1alpha1.ConditionBootstrapAccepted, onControlPlane(fmt.Errorf("delete bootstrap Secret: %w", err)))
	}
	if err == nil {
		s.events = append(s.events, bootstrapRemoved(secret.Name))
	}
	s.record.bootstrapRemoved = true
	s.yes(v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonNotRequired, ownToken)
	return nil
}

const keptBootstrap = "The Secret is kept although `spec.bootstrap.afterRegistration` is Delete: the account cannot replace or withdraw its tokens itself"

// needsBootstrap tells that a token has to be replaced or withdrawn in time, which only the
// admin kubeconfig can do.
func (s *scope) needsBootstrap() bool {
	return !s.wanted.KeepsTokens() && (tokenType(s.reg) == v1alpha1.TokenBound || !s.record.sweepAt.IsZero())
}
