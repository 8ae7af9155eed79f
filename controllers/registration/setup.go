// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// bootstrapIndex finds registrations by the bootstrap Secret that they name.
const bootstrapIndex = "spec.bootstrap.kubeconfigSecretRef.name"

// SetupWithManager adds the controller to a manager. Bootstraps is a cache that holds
// the metadata of Secrets with the bootstrap label; see BootstrapCache.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager, bootstraps cache.Cache) error {
	if err := Index(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	if err := mgr.Add(r.probes); err != nil {
		return fmt.Errorf("add the prober: %w", err)
	}
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return ctrl.NewControllerManagedBy(mgr).
		Named("registration").
		For(&v1alpha1.ClusterRegistration{}, builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}, finalizersChanged))).
		Owns(&v1alpha1.CCLInfraPlane{}).
		Owns(&corev1.Secret{}).
		WatchesRawSource(source.Kind(bootstraps, secret,
			handler.TypedEnqueueRequestsFromMapFunc(r.registrationsOf))).
		WatchesRawSource(source.Func(r.probes.enqueue)).
		WithOptions(controller.Options{MaxConcurrentReconciles: r.options.MaxConcurrentReconciles}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// finalizersChanged lets an object through whose finalizers somebody has edited.
var finalizersChanged = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	return len(e.ObjectOld.GetFinalizers()) != len(e.ObjectNew.GetFinalizers())
}}

// Index adds the indexes that a Reconciler looks things up by.
func Index(ctx context.Context, indexer client.FieldIndexer) error {
	for _, i := range []struct {
		object client.Object
		field  string
		value  func(client.Object) string
	}{
		{&v1alpha1.ClusterRegistration{}, bootstrapIndex, bootstrapName},
		{&v1alpha1.ClusterRegistration{}, serverIndex, func(o client.Object) string {
			reg, _ := o.(*v1alpha1.ClusterRegistration)
			return reg.Status.Server
		}},
		{&v1alpha1.CCLInfraPlane{}, serverIndex, func(o client.Object) string {
			plane, _ := o.(*v1alpha1.CCLInfraPlane)
			return plane.Status.Server
		}},
	} {
		err := indexer.IndexField(ctx, i.object, i.field, func(o client.Object) []string {
			if value := i.value(o); value != "" {
				return []string{value}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("index %s: %w", i.field, err)
		}
	}
	return nil
}

func bootstrapName(o client.Object) string {
	reg, ok := o.(*v1alpha1.ClusterRegistration)
	if !ok {
		return ""
	}
	return reg.Spec.Bootstrap.KubeconfigSecretRef.Name
}

// registrationsOf wakes the registrations that name a bootstrap Secret.
func (r *Reconciler) registrationsOf(ctx context.Context, secret *metav1.PartialObjectMetadata) []reconcile.Request {
	var list v1alpha1.ClusterRegistrationList
	err := r.client.List(ctx, &list, client.InNamespace(secret.Namespace), client.MatchingFields{bootstrapIndex: secret.Name})
	if err != nil {
		// The index is in the same cache: this cannot fail for long, and every
		// registration that waits for a Secret also looks for it from time to time.
		ctrl.LoggerFrom(ctx).V(1).Info("Skipped the wake-up by a bootstrap Secret", "error", err.Error())
		return nil
	}
	requests := make([]reconcile.Request, 0, len(list.Items))
	for i := range list.Items {
		key := types.NamespacedName{Namespace: list.Items[i].Namespace, Name: list.Items[i].Name}
		r.memory.wake(key)
		requests = append(requests, reconcile.Request{NamespacedName: key})
	}
	return requests
}
