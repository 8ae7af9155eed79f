// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

const (
	// credentialsIndex finds planes by the credentials Secret that they name.
	credentialsIndex = "spec.clusterCredentialsRef.name"
	// serverIndex finds planes by the server in their status; the registrations' controller has
	// one of the same name and content.
	serverIndex = "status.server.infraplane"
)

// SetupWithManager adds the controller to a manager. Clusters is the cache of cluster Secrets,
// see ClusterCache, and watch tells of Argo CD's own kinds, which may not exist yet; it must be
// added to the manager too.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager, clusters cache.Cache, watch *Watch) error {
	if err := Index(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	watch.r = r
	return ctrl.NewControllerManagedBy(mgr).
		Named("infraplane").
		For(&v1alpha1.CCLInfraPlane{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, finalizersChanged))).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.planesOfCredentials)).
		WatchesRawSource(source.Kind(clusters, &corev1.Secret{}, handler.TypedEnqueueRequestsFromMapFunc(r.planesOfCluster))).
		WatchesRawSource(source.Channel(watch.events, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: r.options.MaxConcurrentReconciles}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// finalizersChanged lets an object through whose finalizers somebody has edited.
var finalizersChanged = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	return len(e.ObjectOld.GetFinalizers()) != len(e.ObjectNew.GetFinalizers())
}}

// Index adds the indexes that a Reconciler looks things up by.
func Index(ctx context.Context, indexer client.FieldIndexer) error {
	for field, value := range map[string]func(*v1alpha1.CCLInfraPlane) string{
		credentialsIndex: func(p *v1alpha1.CCLInfraPlane) string { return p.Spec.ClusterCredentialsRef.Name },
		serverIndex:      func(p *v1alpha1.CCLInfraPlane) string { return p.Status.Server },
	} {
		err := indexer.IndexField(ctx, &v1alpha1.CCLInfraPlane{}, field, func(o client.Object) []string {
			plane, ok := o.(*v1alpha1.CCLInfraPlane)
			if !ok || value(plane) == "" {
				return nil
			}
			return []string{value(plane)}
		})
		if err != nil {
			return fmt.Errorf("index %s: %w", field, err)
		}
	}
	return nil
}

// planesOfCredentials are the planes that name a credentials Secret.
func (r *Reconciler) planesOfCredentials(ctx context.Context, secret client.Object) []reconcile.Request {
	return r.requests(ctx, client.InNamespace(secret.GetNamespace()), client.MatchingFields{credentialsIndex: secret.GetName()})
}

// planesOfCluster are the plane that a cluster Secret is for, and those with the same server.
func (r *Reconciler) planesOfCluster(ctx context.Context, secret *corev1.Secret) []reconcile.Request {
	requests := r.requests(ctx, client.MatchingFields{serverIndex: canonical(secret)})
	if namespace, name, ok := strings.Cut(secret.Annotations[v1alpha1.InfraPlaneAnnotation], "/"); ok {
		requests = append(requests, reconcile.Request{NamespacedName: keyOf(namespace, name)})
	} else if namespace, name, ok := strings.Cut(secret.Name, "."); ok {
		// Its marker may have been removed.
		requests = append(requests, reconcile.Request{NamespacedName: keyOf(namespace, name)})
	}
	return requests
}

func (r *Reconciler) requests(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	var list v1alpha1.CCLInfraPlaneList
	if err := r.client.List(ctx, &list, options...); err != nil {
		// The cache cannot fail for long, and every plane is looked at from time to time.
		ctrl.LoggerFrom(ctx).V(1).Info("Skipped a wake-up of planes", "error", err.Error())
		return nil
	}
	requests := make([]reconcile.Request, len(list.Items))
	for i := range list.Items {
		requests[i].NamespacedName = client.ObjectKeyFromObject(&list.Items[i])
	}
	return requests
}
