// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// applications are those that deploy to the plane. They are looked for where they could be: in
// the plane's namespace, and in Argo CD's own.
func (r *Reconciler) applications(ctx context.Context, s *scope, server string) ([]argocd.Application, error) {
	return r.applicationsWith(ctx, s, func(app argocd.Application) bool { return app.Targets(s.clusterName(), server) })
}

func (r *Reconciler) applicationsWith(ctx context.Context, s *scope, wanted func(argocd.Application) bool) ([]argocd.Application, error) {
	namespaces := []string{s.key.Namespace, r.options.ArgoCDNamespace}
	slices.Sort(namespaces)
	var found []argocd.Application
	for _, namespace := range slices.Compact(namespaces) {
		list := argocd.NewApplicationList()
		err := r.live.List(ctx, list, client.InNamespace(namespace))
		if isAbsentKind(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list Applications: %w", err)
		}
		for _, app := range argocd.Applications(list) {
			if wanted(app) {
				found = append(found, app)
			}
		}
	}
	return found, nil
}

// nudge asks Argo CD to look again at Applications that have waited for the plane: it does not do
// so by itself for some minutes.
func (r *Reconciler) nudge(ctx context.Context, s *scope) error {
	apps, err := r.applications(ctx, s, s.server)
	if err != nil {
		return s.no(onControlPlane(err))
	}
	for _, app := range apps {
		if app.GetDeletionTimestamp() != nil {
			continue
		}
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(argocd.ApplicationKind)
		u.SetNamespace(app.GetNamespace())
		u.SetName(app.GetName())
		u.SetUID(app.GetUID())
		u.SetAnnotations(map[string]string{argocd.RefreshAnnotation: "normal"})
		if err := r.nudges.Object(ctx, client.ApplyConfigurationFromUnstructured(u), nil); err != nil {
			return s.no(onControlPlane(err))
		}
	}
	return nil
}
