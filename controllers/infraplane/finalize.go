// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"strings"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// finalize removes what there is of a deleted plane: after the Applications that deploy to it its
// cluster Secret, and after that its part of the project. Without the cluster Secret Argo CD would
// drop an Application and leave what it has deployed; without the project it would not go on.
func (r *Reconciler) finalize(ctx context.Context, s *scope) (bool, error) {
	if !controllerutil.ContainsFinalizer(s.plane, v1alpha1.InfraPlaneFinalizer) {
		return true, nil
	}
	if err := r.drain(ctx, s); err != nil {
		return false, err
	}
	if err := r.removeMirror(ctx, s); err != nil {
		return false, s.no(onControlPlane(err))
	}
	if err := r.leave(ctx, s); err != nil {
		return false, err
	}
	for _, e := range s.events {
		r.recorder.Eventf(s.plane, nil, e.kind, e.reason, e.action, e.note, e.args...)
	}
	return true, nil
}

// drainPoll is how often Applications are looked for where their watch tells nothing.
const drainPoll = 10 * time.Second

// drain waits for the Applications of a deleted plane, within a bound.
func (r *Reconciler) drain(ctx context.Context, s *scope) error {
	planes, err := r.planesOf(ctx, s)
	if err != nil {
		return s.no(onControlPlane(err))
	}
	project := argocd.ProjectName(s.key.Namespace)
	apps, err := r.applicationsWith(ctx, s, func(app argocd.Application) bool {
		// The project goes with the last plane, and all Applications in it need it.
		return app.Targets(s.clusterName(), s.server) || (len(planes) == 1 && app.Project() == project)
	})
	if err != nil {
		return s.no(onControlPlane(err))
	}
	if len(apps) == 0 {
		return nil
	}
	names := namesOf(apps)
	left := s.plane.DeletionTimestamp.Add(r.options.DrainTimeout).Sub(r.clock.Now())
	if left > 0 {
		return s.no(waiting(min(drainPoll, left), v1alpha1.ReasonDraining,
			"Applications deploy to this plane: delete them, or the component set that made them, first: %s", names))
	}
	ctrl.LoggerFrom(ctx).Info("Gave up waiting for Applications of an infra plane", "applications", names)
	r.metrics.orphaned.Add(float64(len(apps)))
	s.events = append(s.events, orphaned(names))
	return nil
}

// leave lets the plane go, after its part of the namespace's project. Of several planes that go
// at one time, one does so after the other.
func (r *Reconciler) leave(ctx context.Context, s *scope) error {
	defer r.tenants.lock(s.key.Namespace)()
	if err := r.leaveProject(ctx, s); err != nil {
		return err
	}
	return r.setFinalizer(ctx, s)
}

// leaveProject takes the plane out of its namespace's project, or the project away with the last.
func (r *Reconciler) leaveProject(ctx context.Context, s *scope) error {
	s.drained, s.secret = true, nil
	planes, err := r.planesOf(ctx, s)
	if err != nil {
		return s.no(onControlPlane(err))
	}
	if len(planes) > 0 {
		err := r.ensureProjectLocked(ctx, s)
		if p, ok := err.(*problem); ok && p.reason == v1alpha1.ReasonArgoCDNotInstalled { //nolint:errorlint // it is never wrapped
			return nil
		}
		return err
	}
	r.memory.sawProject(s.key.Namespace, "")
	if err := r.removeProject(ctx, s); err != nil {
		return s.no(onControlPlane(err))
	}
	return nil
}

// namesOf is a list short enough for a message.
func namesOf(apps []argocd.Application) string {
	const limit = 600
	names := make([]string, len(apps))
	for i, app := range apps {
		names[i] = app.GetNamespace() + "/" + app.GetName()
	}
	text := strings.Join(names, ", ")
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "") + " …"
	}
	return text
}
