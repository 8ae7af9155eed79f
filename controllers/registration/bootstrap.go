// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// errNoBootstrap says that the Secret does not exist.
var errNoBootstrap = &problem{reason: v1alpha1.ReasonReferenceNotFound}

const ownToken = "The registration works with its own token"

// readBootstrap reads the admin kubeconfig, live: it is in no cache. It decides on the
// bytes alone; nothing is dialled.
func (r *Reconciler) readBootstrap(ctx context.Context, s *scope) (kubeconfig.Target, error) {
	ref := s.reg.Spec.Bootstrap.KubeconfigSecretRef
	secret := &corev1.Secret{}
	err := r.live.Get(ctx, s.objectKey(ref.Name), secret)
	if apierrors.IsNotFound(err) {
		return kubeconfig.Target{}, errNoBootstrap
	}
	if err != nil {
		return kubeconfig.Target{}, onControlPlane(fmt.Errorf("read bootstrap Secret: %w", err))
	}
	key, err := kubeconfig.SelectKey(slices.Sorted(maps.Keys(secret.Data)), ref.Key)
	if err != nil {
		return kubeconfig.Target{}, err
	}
	options := kubeconfig.Options{AllowInsecure: r.options.AllowInsecure, AllowProxy: r.options.AllowProxy}
	if c := s.reg.Spec.Bootstrap.Context; c != nil {
		options.Context = *c
	}
	s.inputs.bootstrap = digest(string(secret.Data[key]))
	return kubeconfig.Parse(secret.Data[key], options)
}

// heedBootstrap looks, when a bootstrap Secret has stirred or was first seen after a start,
// whether it is another than the one that was used: that asks for a pass with it.
func (r *Reconciler) heedBootstrap(ctx context.Context, s *scope) error {
	if !s.record.stirred {
		return nil
	}
	if s.usable() {
		_, err := r.readBootstrap(ctx, s)
		var p *problem
		if errors.As(err, &p) && p.err != nil {
			return s.no(v1alpha1.ConditionBootstrapAccepted, p)
		}
		absent := errors.Is(err, errNoBootstrap)
		s.record.rebuild = s.record.rebuild || (!absent && s.inputs.bootstrap != s.stored.inputs.bootstrap)
		s.inputs = inputs{}
	}
	s.record.stirred = false
	return nil
}

// bootstrap accepts the admin kubeconfig and resolves the final endpoint. It reports
// whether there is one; without, a registration lives on its own token.
func (r *Reconciler) bootstrap(ctx context.Context, s *scope) (kubeconfig.Target, bool, error) {
	target, err := r.readBootstrap(ctx, s)
	if err == errNoBootstrap { //nolint:errorlint // a sentinel that is returned as it is
		if s.usable() {
			s.yes(v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonNotRequired, ownToken)
			return target, false, nil
		}
		return target, false, s.no(v1alpha1.ConditionBootstrapAccepted, waiting(r.options.CheckPeriod, v1alpha1.ReasonReferenceNotFound,
			"Secret %s does not exist: create it with a kubeconfig of the cluster, or correct `spec.bootstrap.kubeconfigSecretRef.name`",
			s.reg.Spec.Bootstrap.KubeconfigSecretRef.Name))
	}
	if err == nil {
		s.endpoint, err = resolveEndpoint(target.Endpoint, s.reg.Spec.Endpoint, r.options)
	}
	if err != nil {
		p := onPlane(err)
		if p.err == nil && p.after == 0 {
			// A Secret that is not watched is looked at again.
			p = waiting(r.options.CheckPeriod, p.reason, "%s", p.message)
		}
		if p.reason == v1alpha1.ReasonKubeconfigRejected {
			p.message = "Secret " + s.reg.Spec.Bootstrap.KubeconfigSecretRef.Name + ": " + p.message
		}
		return target, false, s.no(v1alpha1.ConditionBootstrapAccepted, p)
	}
	s.yes(v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonAccepted, "")
	return target, true, nil
}

// usable tells whether there is a credential to work with.
func (s *scope) usable() bool { return s.stored != nil && s.stored.authentic }
