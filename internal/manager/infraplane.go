// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/ccluster-go/ccluster-go/controllers/infraplane"
)

func infraPlaneController() controller {
	return controller{name: "infraplane", cached: infraplane.SecretCache, setup: setUpInfraPlane}
}

func setUpInfraPlane(ctx context.Context, e *environment) error {
	mgr, o := e.manager, &e.options
	clusters, err := infraplane.ClusterCache(e.config, mgr.GetScheme(), o.ArgoCDNamespace)
	if err != nil {
		return fmt.Errorf("make cache of cluster Secrets: %w", err)
	}
	if err := e.addCache(clusters); err != nil {
		return err
	}
	planeMetrics := infraplane.NewMetrics()
	if err := metrics.Registry.Register(planeMetrics); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	e.atEnd(func() { metrics.Registry.Unregister(planeMetrics) })
	r, err := infraplane.New(infraplane.Dependencies{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clusters: clusters, Pool: e.pool,
		Recorder: mgr.GetEventRecorder(infraplane.Owner), Clock: clock.RealClock{}, Metrics: planeMetrics,
	}, infraPlaneOptions(o))
	if err != nil {
		return err
	}
	watch := infraplane.NewWatch(e.config, mgr.GetScheme(), 0, o.watched())
	if err := mgr.Add(watch); err != nil {
		return fmt.Errorf("add watch of Argo CD: %w", err)
	}
	return r.SetupWithManager(ctx, mgr, clusters, watch)
}

// watched are the namespaces that Argo CD's objects are looked for in; none means all.
func (o *Options) watched() []string {
	if len(o.Namespaces) == 0 {
		return nil
	}
	return append([]string{o.ArgoCDNamespace}, o.Namespaces...)
}

func infraPlaneOptions(o *Options) infraplane.Options {
	options := infraplane.Options{
		ArgoCDNamespace:         o.ArgoCDNamespace,
		AllowInCluster:          o.AllowInCluster,
		InClusterNamespaces:     o.InClusterNamespaces,
		CheckPeriod:             o.CheckPeriod,
		DrainTimeout:            o.DrainTimeout,
		MaxConcurrentReconciles: o.MaxConcurrentReconciles,
	}
	if o.CatalogRepo != "" {
		options.SourceRepos = append(options.SourceRepos, o.CatalogRepo)
	}
	options.SourceRepos = append(options.SourceRepos, o.SourceRepos...)
	if own, err := leaseNamespace(o.LeaderElectNamespace, podNamespaceFile); err == nil {
		options.ManagerNamespace = own
	}
	return options
}
