// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// probeRemoval is when to look again whether a probe has ended, should its end bring no pass.
const probeRemoval = time.Second

// finalize takes everything away in the order in which nothing is lost: the plane first,
// which drains what runs there, then the rights on the plane, then the credential, which
// may be needed for that, and the registration last. It reports whether that is done.
func (r *Reconciler) finalize(ctx context.Context, s *scope) (bool, error) {
	if !controllerutil.ContainsFinalizer(s.reg, v1alpha1.RegistrationFinalizer) {
		return true, nil
	}
	if s.record.attempted != s.reg.Generation {
		s.record.recover()
		s.record.attempted = s.reg.Generation
	}
	s.deletion = waiting(0, v1alpha1.ReasonDeleting, "The registration is being deleted")
	probing := r.probes.cancel(s.key)
	if err := r.removePlane(ctx, s); err != nil {
		return false, s.deleting(err)
	}
	if probing {
		// It needs the token for that. Its end brings the next pass.
		return false, s.deleting(waiting(probeRemoval, v1alpha1.ReasonDeleting, "The probe's Job is still being removed"))
	}
	if err := r.revoke(ctx, s); err != nil {
		return false, s.deleting(err)
	}
	if err := r.removeCredentials(ctx, s); err != nil {
		return false, s.deleting(onControlPlane(err))
	}
	for _, e := range s.events {
		r.recorder.Eventf(s.reg, nil, e.kind, e.reason, e.action, e.note, e.args...)
	}
	s.events = nil
	if err := r.setFinalizer(ctx, s); err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return false, s.deleting(err)
	}
	return true, nil
}

// deleting reports why a deletion is not done yet.
func (s *scope) deleting(err error) error {
	p := onPlane(err)
	s.deletion = p
	return p
}

// removePlane deletes the CCLInfraPlane and waits until it is gone.
func (r *Reconciler) removePlane(ctx context.Context, s *scope) error {
	plane := &v1alpha1.CCLInfraPlane{}
	err := r.fallback.Get(ctx, s.key, plane)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return onControlPlane(fmt.Errorf("read CCLInfraPlane: %w", err))
	}
	if !metav1.IsControlledBy(plane, s.reg) {
		return nil
	}
	if plane.DeletionTimestamp.IsZero() {
		if err := r.delete(ctx, plane); err != nil {
			return onControlPlane(fmt.Errorf("delete CCLInfraPlane: %w", err))
		}
		// Without a finalizer it is gone already.
		err := r.live.Get(ctx, s.key, plane)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return onControlPlane(fmt.Errorf("read CCLInfraPlane: %w", err))
		}
	}
	// What that takes is not counted against the infra plane.
	s.record.drainedAt = r.clock.Now()
	return waiting(r.options.CheckPeriod, v1alpha1.ReasonDraining,
		"CCLInfraPlane %s is still being removed", plane.Name)
}

func (r *Reconciler) delete(ctx context.Context, obj client.Object) error {
	uid := obj.GetUID()
	return client.IgnoreNotFound(r.client.Delete(ctx, obj, client.Preconditions{UID: &uid}))
}

// removeCredentials releases and deletes `<name>-credentials`.
func (r *Reconciler) removeCredentials(ctx context.Context, s *scope) error {
	secret := &corev1.Secret{}
	err := r.fallback.Get(ctx, s.objectKey(v1alpha1.CredentialsSecretName(s.key.Name)), secret)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read credentials: %w", err)
	}
	if !metav1.IsControlledBy(secret, s.reg) {
		return nil
	}
	if err := r.delete(ctx, secret); err != nil {
		return fmt.Errorf("delete credentials: %w", err)
	}
	return r.releaseSecret(ctx, secret)
}

// giveUp ends the attempts to clean up a plane: what is left is told by an event and a log
// line, which is all that a namespace that is itself being deleted has room for.
func (r *Reconciler) giveUp(ctx context.Context, s *scope, cause error) {
	left := s.record.hidden
	if !s.record.cleaned {
		for _, o := range s.report.objects {
			left = append(left, describeObject(o))
		}
	}
	if len(left) == 0 && !s.record.cleaned {
		left = append(left, "everything with the label "+v1alpha1.MarkerLabel+"="+s.wanted.Marker.Hash())
	}
	p := onPlane(cause)
	ctrl.LoggerFrom(ctx).Info("Gave up cleaning up an infra plane", "reason", p.reason, "left", left)
	r.metrics.leftovers.Add(float64(len(left)))
	if len(left) > 0 {
		s.events = append(s.events, leftBehind(joined(left)))
	}
	if p.reason == v1alpha1.ReasonRevocationUnproven {
		s.events = append(s.events, unproven())
	}
}

func describeObject(o v1alpha1.RemoteObject) string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// joined is a list short enough for an event.
func joined(objects []string) string { return truncate(strings.Join(objects, ", "), 900) }

func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " …"
}
