// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"slices"
)

const maxComponentStatuses = 256

func syncStatus(i int) any {
	return Object{
		"name": fmt.Sprintf("c%d", i), "applicationName": "local-base.keda", "sync": "Synced", "health": "Healthy",
		"comparison": "Current", "removal": "Deleting",
	}
}

func healthStatus(i int) any {
	return Object{
		"name": fmt.Sprintf("c%d", i), "health": "Degraded", "reason": "PodsNotReady", "message": "0 of 1 pods are ready",
		"lastTransitionTime": "2026-01-02T03:04:05Z",
	}
}

func componentSetStatusCases() []Case {
	s := componentSet().withStatus(Object{
		"conditions":              []any{condition("Validated")},
		"observedGeneration":      int64(1),
		"componentSyncStatuses":   []any{syncStatus(0)},
		"componentHealthStatuses": []any{healthStatus(0)},
	})
	const syncs, healths = "status.componentSyncStatuses", "status.componentHealthStatuses"
	return slices.Concat(
		s.sharedStatusCases(),
		s.maxItems(syncs, maxComponentStatuses, syncStatus),
		s.unique(syncs, syncStatus),
		s.required(syncs+"[].name"),
		s.lengths(syncs+"[].name", 1, 53, letters),
		s.lengths(syncs+"[].applicationName", 1, 253, letters),
		s.lengths(syncs+"[].sync", 1, 63, letters),
		s.lengths(syncs+"[].health", 1, 63, letters),
		s.enum(syncs+"[].comparison", "Current", "Stale", "Unknown"),
		s.enum(syncs+"[].removal", "DeletePending", "Deleting"),
		s.maxItems(healths, maxComponentStatuses, healthStatus),
		s.unique(healths, healthStatus),
		s.required(healths+"[].name"),
		s.lengths(healths+"[].name", 1, 53, letters),
		s.required(healths+"[].health"),
		s.enum(healths+"[].health", "Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown", "Succeeded", "Failed"),
		s.lengths(healths+"[].reason", 1, 128, letters),
		s.lengths(healths+"[].message", 1, 1024, letters),
		s.dateTime(healths+"[].lastTransitionTime"),
	)
}
