// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	v1alpha1ac "github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration/api/v1alpha1"
)

// writeStatus writes the pass's outcome if it differs from what is there, and then sends the
// events.
func (r *Reconciler) writeStatus(ctx context.Context, s *scope) error {
	available := s.conds.Get(v1alpha1.ConditionAvailable)
	r.memory.report(state{key: s.key, available: available.Status == metav1.ConditionTrue, reason: available.Reason})
	was := s.record.liveStatus(s.plane)
	if s.conds.Changed() || was.Server != s.server || was.ArgoCDSecretName != s.secretName || was.ObservedGeneration != s.plane.Generation {
		if err := r.applyStatus(ctx, s); err != nil {
			return err
		}
	}
	for _, e := range s.events {
		r.recorder.Eventf(s.plane, nil, e.kind, e.reason, e.action, e.note, e.args...)
	}
	return nil
}

func (r *Reconciler) applyStatus(ctx context.Context, s *scope) error {
	intent := v1alpha1ac.CCLInfraPlaneStatus().WithConditions(s.conds.Build()...).WithObservedGeneration(s.plane.Generation)
	if s.server != "" {
		intent.WithServer(s.server)
	}
	if s.secretName != "" {
		intent.WithArgoCDSecretName(s.secretName)
	}
	written := &v1alpha1.CCLInfraPlane{}
	err := r.status.Status(ctx, v1alpha1ac.CCLInfraPlane(s.key.Name, s.key.Namespace).WithUID(s.plane.UID).WithStatus(intent), written)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		// Deleted, and perhaps made anew, meanwhile.
		return nil
	}
	if err != nil {
		return err
	}
	s.record.written, s.record.writtenVersion = written.Status.DeepCopy(), written.ResourceVersion
	for _, t := range s.conds.Transitions() {
		if e, worth := onTransition(t); worth {
			s.events = append(s.events, e)
		}
	}
	return nil
}
