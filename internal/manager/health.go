// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// syncWait bounds one readiness check.
const syncWait = 500 * time.Millisecond

var errNotSynced = errors.New("the caches are not filled yet")

// addChecks makes the manager alive when it answers, and ready when its caches are filled.
func addChecks(mgr ctrl.Manager, caches ...cache.Cache) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("add liveness check: %w", err)
	}
	if err := mgr.AddReadyzCheck("caches", synced(caches)); err != nil {
		return fmt.Errorf("add readiness check: %w", err)
	}
	return nil
}

func synced(caches []cache.Cache) healthz.Checker {
	return func(req *http.Request) error {
		ctx, cancel := context.WithTimeout(req.Context(), syncWait)
		defer cancel()
		for _, c := range caches {
			if !c.WaitForCacheSync(ctx) {
				return errNotSynced
			}
		}
		return nil
	}
}
