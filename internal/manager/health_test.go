// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
)

func TestReadyNeedsEveryCacheFilled(t *testing.T) {
	g := NewWithT(t)
	full, empty := &informertest.FakeInformers{Synced: new(true)}, &informertest.FakeInformers{Synced: new(false)}
	req := httptest.NewRequestWithContext(t.Context(), "GET", "/readyz", nil)
	g.Expect(synced([]cache.Cache{full, full})(req)).To(Succeed())
	g.Expect(synced([]cache.Cache{full, empty})(req)).To(MatchError(errNotSynced))
	empty.Synced = new(true)
	g.Expect(synced([]cache.Cache{full, empty})(req)).To(Succeed())
}
