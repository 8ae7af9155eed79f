// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// ensureMirror keeps the cluster Secret in Argo CD's namespace as the credentials say. Of the
// credentials only what is known gets there, encoded anew: the same credential gives the same
// bytes, and is not written again.
func (r *Reconciler) ensureMirror(ctx context.Context, s *scope) error {
	live, found, err := r.readMirror(ctx, s)
	if err != nil {
		return s.no(onControlPlane(err))
	}
	if found && !s.owns(live) {
		return s.no(waiting(r.options.CheckPeriod, v1alpha1.ReasonForeignObject,
			"Secret %s/%s belongs to somebody else: remove it, or name the plane otherwise", live.Namespace, live.Name))
	}
	if found && live.DeletionTimestamp != nil {
		return s.no(waiting(5*time.Second, v1alpha1.ReasonPending, "Secret %s/%s is being deleted and will be made again", live.Namespace, live.Name))
	}
	intent, err := s.mirror(r.options.ArgoCDNamespace)
	if err != nil {
		return s.no(waiting(r.options.CheckPeriod, v1alpha1.ReasonInvalidCredentials, "Secret %s: %s", s.secret.Name, err))
	}
	if found && canonical(live) != s.server {
		// Argo CD goes on watching the former server with the former credential unless the Secret
		// is another.
		if err := r.replaceMirror(ctx, s, live); err != nil {
			return err
		}
		found = false
	}
	return r.writeMirror(ctx, s, live, found, intent)
}

func (r *Reconciler) writeMirror(ctx context.Context, s *scope, live *corev1.Secret, found bool, intent *corev1ac.SecretApplyConfiguration) error {
	if !found {
		err := r.objects.Create(ctx, intent, live)
		if foreign, ok := errors.AsType[*apply.ErrForeign](err); ok {
			return s.no(waiting(r.options.CheckPeriod, v1alpha1.ReasonForeignObject,
				"Secret %s/%s belongs to somebody else: remove it, or name the plane otherwise", foreign.Namespace, foreign.Name))
		}
		if err != nil {
			return s.no(r.absentNamespace(err))
		}
		if s.secretName != "" {
			s.events = append(s.events, repaired("Secret "+live.Namespace+"/"+live.Name))
		}
		s.secretName, s.record.mirrored = live.Name, s.secret.ResourceVersion
		return r.nudge(ctx, s)
	}
	wrote, err := r.objects.Ensure(ctx, live, intent, live)
	if err != nil {
		return s.no(onControlPlane(err))
	}
	if wrote && s.record.mirrored == s.secret.ResourceVersion {
		s.events = append(s.events, repaired("Secret "+live.Namespace+"/"+live.Name))
	}
	s.record.mirrored = s.secret.ResourceVersion
	s.secretName = live.Name
	return nil
}

// absentNamespace tells the one failure of a write by which Argo CD's absence shows.
func (r *Reconciler) absentNamespace(err error) *problem {
	if apierrors.IsNotFound(err) {
		return waiting(r.options.CheckPeriod, v1alpha1.ReasonArgoCDNotInstalled,
			"Namespace %s does not exist: install Argo CD, or correct the manager's --argocd-namespace", r.options.ArgoCDNamespace)
	}
	return onControlPlane(err)
}

// readMirror reads the cluster Secret from the cache, and live if it may have lost its label.
func (r *Reconciler) readMirror(ctx context.Context, s *scope) (*corev1.Secret, bool, error) {
	live := &corev1.Secret{}
	key := keyOf(r.options.ArgoCDNamespace, argocd.ClusterName(s.key.Namespace, s.key.Name))
	err := r.clusters.Get(ctx, key, live)
	if apierrors.IsNotFound(err) {
		err = r.live.Get(ctx, key, live)
	}
	if apierrors.IsNotFound(err) {
		return live, false, nil
	}
	if err != nil {
		return live, false, fmt.Errorf("read cluster Secret: %w", err)
	}
	return live, true, nil
}

// owns tells whether a cluster Secret is the plane's, also if somebody has removed its marker.
func (s *scope) owns(live *corev1.Secret) bool {
	if owner, marked := live.Annotations[v1alpha1.InfraPlaneAnnotation]; marked {
		return owner == s.key.String()
	}
	return slices.ContainsFunc(live.ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == Owner && e.Operation == metav1.ManagedFieldsOperationApply
	})
}

// mirror is the whole intent of the cluster Secret.
func (s *scope) mirror(namespace string) (*corev1ac.SecretApplyConfiguration, error) {
	cluster := s.cluster
	cluster.Name, cluster.Project = s.clusterName(), argocd.ProjectName(s.key.Namespace)
	data, err := cluster.Data()
	if err != nil {
		return nil, err
	}
	labels := argocd.Unreserved(s.secret.Labels)
	maps.Copy(labels, map[string]string{
		argocd.SecretTypeLabel: argocd.SecretTypeCluster, v1alpha1.ManagedLabel: v1alpha1.ManagedCluster,
	})
	annotations := argocd.Unreserved(s.secret.Annotations)
	annotations[v1alpha1.InfraPlaneAnnotation] = s.key.String()
	return corev1ac.Secret(cluster.Name, namespace).
		WithLabels(labels).WithAnnotations(annotations).WithType(corev1.SecretTypeOpaque).WithData(data), nil
}

// replaceMirror deletes the cluster Secret of another server, but not while an Application there
// is being deleted: without it, Argo CD would leave behind what that has deployed.
func (r *Reconciler) replaceMirror(ctx context.Context, s *scope, live *corev1.Secret) error {
	apps, err := r.applications(ctx, s, canonical(live))
	if err != nil {
		return s.no(onControlPlane(err))
	}
	for _, app := range apps {
		if app.GetDeletionTimestamp() != nil {
			return s.no(waiting(5*time.Second, v1alpha1.ReasonDraining,
				"The server is going to change once Application %s/%s, which is being deleted, is gone from the former one", app.GetNamespace(), app.GetName()))
		}
	}
	return r.deleteMirror(ctx, live)
}

func (r *Reconciler) deleteMirror(ctx context.Context, live *corev1.Secret) error {
	uid := live.UID
	if err := client.IgnoreNotFound(r.client.Delete(ctx, live, client.Preconditions{UID: &uid})); err != nil {
		return fmt.Errorf("delete cluster Secret: %w", err)
	}
	return nil
}

// removeMirror deletes the plane's cluster Secret, if there is one.
func (r *Reconciler) removeMirror(ctx context.Context, s *scope) error {
	live, found, err := r.readMirror(ctx, s)
	if err != nil || !found || !s.owns(live) {
		return err
	}
	return r.deleteMirror(ctx, live)
}
