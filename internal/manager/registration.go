// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"

	"github.com/ccluster-go/ccluster-go/controllers/registration"
)

func registrationController() controller {
	return controller{name: "registration", cached: registration.SecretCache, setup: setUpRegistration}
}

func setUpRegistration(ctx context.Context, e *environment) error {
	mgr, o := e.manager, &e.options
	bootstraps, err := registration.BootstrapCache(e.config, mgr.GetScheme(), o.Namespaces)
	if err != nil {
		return fmt.Errorf("make cache of bootstrap Secrets: %w", err)
	}
	if err := e.addCache(bootstraps); err != nil {
		return err
	}
	r, err := registration.New(registration.Dependencies{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Pool:     e.pool,
		Recorder: mgr.GetEventRecorder(registration.Owner),
		Clock:    clock.RealClock{},
		Metrics:  e.metrics,
	}, registrationOptions(o, e.controlPlaneID))
	if err != nil {
		return err
	}
	return r.SetupWithManager(ctx, mgr, bootstraps)
}

func registrationOptions(o *Options, controlPlaneID string) registration.Options {
	return registration.Options{
		ControlPlaneID:          controlPlaneID,
		AllowInCluster:          o.AllowInCluster,
		InClusterNamespaces:     o.InClusterNamespaces,
		AllowProxy:              o.AllowProxy,
		AllowInsecure:           o.AllowInsecure,
		AllowDuplicateClusters:  o.DuplicateClusters == DuplicatesAllowed,
		ReadyWithoutPlane:       o.ReadyWithoutPlane,
		CheckPeriod:             o.CheckPeriod,
		TokenOverlap:            o.TokenOverlap,
		RevokeTimeout:           o.RevokeTimeout,
		ProbeImage:              o.ProbeImage,
		MaxConcurrentReconciles: o.MaxConcurrentReconciles,
	}
}
