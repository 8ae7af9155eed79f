// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var _ = Describe("A watch from a place that the server has forgotten", Serial, func() {
	AfterEach(func() { DeferCleanup(nothingRuns) })

	It("ends at once, or on request begins with what there is, as soon as the server answers", func(ctx SpecContext) {
		var unanswered atomic.Int32
		c := newClient(through(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if !req.URL.Query().Has("watch") && req.Method == http.MethodGet && unanswered.Add(-1) >= 0 {
				return nil, syscall.ECONNREFUSED
			}
			return next.RoundTrip(req)
		}))
		put(ctx, c, "a", "1")
		from := position(ctx, c)
		patch(ctx, c, "a", "2")
		put(ctx, c, "b", "1")
		remove(ctx, c, "b")
		restart(ctx)

		_, err := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: from}).end()
		Expect(err).To(MatchError(k8s.ErrExpired))
		Expect(err).To(And(HaveField("Code", 410), HaveField("Method", "GET")))

		unanswered.Store(2)
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: from, Relist: true})
		Eventually(w.events).Should(Equal([]string{"ADDED a 2"}))
		Expect(unanswered.Load()).To(BeNumerically("<", 0))
		patch(ctx, c, "a", "3")
		remove(ctx, c, "a")
		Eventually(w.events).WithTimeout(time.Minute).Should(Equal([]string{"ADDED a 2", "MODIFIED a 3", "DELETED a 3"}))
	})
})
