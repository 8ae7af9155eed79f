// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// environment is what controllers are set up with.
type environment struct {
	options Options
	// config connects to the control plane.
	config         *rest.Config
	manager        ctrl.Manager
	pool           *remote.Pool
	metrics        *registration.Metrics
	controlPlaneID string
	// caches have to be filled before the manager is ready.
	caches []cache.Cache
	// endings are run when the manager has stopped.
	endings []func()
}

func (e *environment) atEnd(f func()) { e.endings = append(e.endings, f) }

// end undoes what controllers have set up outside the manager.
func (e *environment) end() {
	for _, f := range e.endings {
		f()
	}
}

// addCache adds a cache besides the manager's own. Controllers start when it is filled.
func (e *environment) addCache(c cache.Cache) error {
	if err := e.manager.Add(sideCache{c}); err != nil {
		return fmt.Errorf("add cache: %w", err)
	}
	e.caches = append(e.caches, c)
	return nil
}

// sideCache makes the manager treat a cache like its own: GetCache is how it tells.
type sideCache struct{ cache.Cache }

// GetCache returns the cache.
func (c sideCache) GetCache() cache.Cache { return c.Cache }
