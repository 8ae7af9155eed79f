// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// applyCredentials writes what was proven to the control plane, if it is not there as it
// should be, and returns the CCLInfraPlane.
func (r *Reconciler) applyCredentials(ctx context.Context, s *scope, plane ccluster.InfraPlane) (*v1alpha1.CCLInfraPlane, error) {
	if err := r.releaseTerminating(ctx, s); err != nil {
		return nil, s.no(v1alpha1.ConditionCredentialsApplied, onControlPlane(err))
	}
	planes := ccluster.NewClient(r.fallback, s.key.Namespace,
		ccluster.WithFieldManager(Owner), ccluster.WithController(s.reg))
	applied, err := planes.EnsureInfraPlane(ctx, s.key.Name, plane)
	if err != nil {
		return nil, s.no(v1alpha1.ConditionCredentialsApplied, onControlPlane(err))
	}
	if !applied.Plane.DeletionTimestamp.IsZero() {
		return nil, s.no(v1alpha1.ConditionCredentialsApplied, waiting(r.options.CheckPeriod, v1alpha1.ReasonDraining,
			"CCLInfraPlane %s is being deleted and will be made again once it is gone", s.key.Name))
	}
	if s.minted && applied.WroteSecret {
		s.events = append(s.events, tokenStored(tokenType(s.reg)))
	}
	if s.record.proven != nil && s.token.Value == s.record.proven.BearerToken {
		if applied.WroteSecret && s.reg.Generation == s.record.generation {
			s.events = append(s.events, repaired("Secret "+v1alpha1.CredentialsSecretName(s.key.Name)))
		}
		if applied.WrotePlane {
			s.events = append(s.events, repaired("CCLInfraPlane "+s.key.Name))
		}
	}
	s.report.planeRef = s.key.Name
	if s.reg.Spec.InCluster == nil {
		s.report.secretRef = v1alpha1.CredentialsSecretName(s.key.Name)
	}
	s.yes(v1alpha1.ConditionCredentialsApplied, v1alpha1.ReasonApplied, "")
	return applied.Plane, nil
}

// releaseTerminating lets a credentials Secret go that somebody has deleted, so that it
// can be made anew. The finalizer has kept it readable until here.
func (r *Reconciler) releaseTerminating(ctx context.Context, s *scope) error {
	if s.reg.Spec.InCluster != nil {
		return nil
	}
	secret := &corev1.Secret{}
	key := s.objectKey(v1alpha1.CredentialsSecretName(s.key.Name))
	err := r.client.Get(ctx, key, secret)
	if err == nil && secret.DeletionTimestamp != nil && metav1.IsControlledBy(secret, s.reg) {
		if err := r.replaceable(ctx, secret); err != nil {
			return err
		}
		return r.releaseSecret(ctx, secret)
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// replaceable fails where a Secret could not be made anew because the whole namespace goes.
// The registration's own deletion is next then, and needs the credential.
func (r *Reconciler) replaceable(ctx context.Context, secret *corev1.Secret) error {
	trial := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, GenerateName: secret.Name + "-"}}
	err := r.client.Create(ctx, trial, client.DryRunAll)
	if remote.Classify(err).Kind == remote.NamespaceTerminating {
		return fmt.Errorf("replace Secret %s: %w", secret.Name, err)
	}
	return nil
}

// releaseSecret gives up all that this controller owns of a Secret, the finalizer and the
// credential with it.
func (r *Reconciler) releaseSecret(ctx context.Context, secret *corev1.Secret) error {
	err := r.objects.Object(ctx, corev1ac.Secret(secret.Name, secret.Namespace).WithUID(secret.UID), nil)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		// It is gone, or gone and made anew.
		return nil
	}
	if err != nil {
		return fmt.Errorf("release Secret %s: %w", secret.Name, err)
	}
	return nil
}

// mirror copies the plane's Available, the infraplane controller's finding.
func (r *Reconciler) mirror(s *scope, plane *v1alpha1.CCLInfraPlane) {
	available := findAvailable(plane)
	switch {
	// Another operator may not say which generation it has seen.
	case available == nil || (available.ObservedGeneration != 0 && available.ObservedGeneration < plane.Generation):
		s.conds.Set(v1alpha1.ConditionPlaneAvailable, metav1.ConditionUnknown, v1alpha1.ReasonNotReported,
			"No controller has reported on CCLInfraPlane %s yet", plane.Name)
	default:
		s.conds.Set(v1alpha1.ConditionPlaneAvailable, available.Status, available.Reason, "%s", available.Message)
	}
}

func findAvailable(plane *v1alpha1.CCLInfraPlane) *metav1.Condition {
	for i := range plane.Status.Conditions {
		if c := &plane.Status.Conditions[i]; c.Type == v1alpha1.ConditionAvailable && c.Reason != "" {
			return c
		}
	}
	return nil
}
