// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"maps"
	"net"
	"reflect"
	"slices"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/internal/version"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// stopTimeout is less than the 30 s that Kubernetes gives a pod to end.
const stopTimeout = 20 * time.Second

// Run runs the manager on the control plane of cfg until ctx ends, and returns when
// everything has stopped. It logs through controller-runtime's logger.
func Run(ctx context.Context, cfg *rest.Config, o Options) (err error) {
	if err := o.Validate(); err != nil {
		return err
	}
	e := &environment{options: o, config: clientConfig(cfg)}
	policy, err := o.policy(ctx, e.config, net.DefaultResolver)
	if err != nil {
		return err
	}
	e.metrics = registration.NewMetrics()
	if err := metrics.Registry.Register(e.metrics); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	defer metrics.Registry.Unregister(e.metrics)
	e.pool, err = remote.NewPool(policy, remote.WithUserAgent(remote.UserAgent(version.Version, "registration")),
		remote.WithObserver(e.metrics.Observe))
	if err != nil {
		return fmt.Errorf("make connection pool: %w", err)
	}
	defer e.pool.Close()
	defer e.end()
	if err := e.prepare(ctx); err != nil {
		return err
	}
	ctrl.Log.Info("Starting the manager", "version", version.String(), "controllers", o.Controllers,
		"namespaces", o.Namespaces, "controlPlaneID", e.controlPlaneID)
	if err := e.manager.Start(ctx); err != nil {
		return fmt.Errorf("run manager: %w", err)
	}
	return nil
}

// prepare makes the manager and adds the controllers to it.
func (e *environment) prepare(ctx context.Context) error {
	chosen, err := e.options.selected()
	if err != nil {
		return err
	}
	options, err := e.options.manager(chosen)
	if err != nil {
		return err
	}
	if e.manager, err = ctrl.NewManager(e.config, options); err != nil {
		return fmt.Errorf("make manager: %w", err)
	}
	if e.controlPlaneID, err = identify(ctx, e.manager.GetAPIReader(), e.options.ControlPlaneID); err != nil {
		return err
	}
	e.caches = append(e.caches, e.manager.GetCache())
	for _, c := range chosen {
		if err := c.setup(ctx, e); err != nil {
			return fmt.Errorf("set up controller %s: %w", c.name, err)
		}
	}
	return addChecks(e.manager, e.caches...)
}

// clientConfig is cfg without a client-side rate limit: the API server has a fair one.
func clientConfig(cfg *rest.Config) *rest.Config {
	c := rest.CopyConfig(cfg)
	c.QPS, c.RateLimiter = -1, nil
	c.UserAgent = remote.UserAgent(version.Version, "manager")
	return c
}

// addCached adds what a controller caches. Controllers that cache the same kind cache the same
// objects of it.
func addCached(all, more map[client.Object]cache.ByObject) {
	for object, by := range more {
		same := func(other client.Object) bool { return reflect.TypeOf(other) == reflect.TypeOf(object) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(all)), same) {
			all[object] = by
		}
	}
}

func (o *Options) manager(chosen []controller) (ctrl.Options, error) {
	scheme, err := ccluster.NewScheme()
	if err != nil {
		return ctrl.Options{}, err
	}
	byObject := map[client.Object]cache.ByObject{}
	for _, c := range chosen {
		addCached(byObject, c.cached())
	}
	options := ctrl.Options{
		Scheme:                  scheme,
		Cache:                   cache.Options{ByObject: byObject, DefaultNamespaces: registration.InNamespaces(o.Namespaces)},
		Metrics:                 o.metrics(),
		HealthProbeBindAddress:  o.HealthProbeAddress,
		GracefulShutdownTimeout: new(stopTimeout),
		// A manager in waiting has its caches filled when its turn comes.
		Controller: config.Controller{EnableWarmup: new(true)},
	}
	if !o.LeaderElect {
		return options, nil
	}
	options.LeaderElection, options.LeaderElectionID = true, LeaseName
	// The program ends when Run returns, so the next one need not wait for the Lease.
	options.LeaderElectionReleaseOnCancel = true
	options.LeaderElectionNamespace, err = leaseNamespace(o.LeaderElectNamespace, podNamespaceFile)
	return options, err
}
