// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var _ = Describe("A watch while nobody answers", Serial, func() {
	AfterEach(func() { DeferCleanup(nothingRuns) })

	It("ends with its context", func(ctx SpecContext) {
		c := newClient()
		cut, front := fronted(ctx, c)
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		w := watch(within, cut, k8s.WatchOptions{Selector: "app=x"})
		put(ctx, c, "a", "1")
		Eventually(w.events).Should(Equal([]string{"ADDED a 1"}))
		front.Drop()
		before := front.Accepted()
		Eventually(front.Accepted).Should(BeNumerically(">", before))
		cancel()
		_, err := w.end()
		Expect(err).To(MatchError(context.Canceled))
	})

	It("ends without an error when its time is over, and keeps its place", func(ctx SpecContext) {
		c := newClient()
		cut, front := fronted(ctx, c)
		w := watch(ctx, cut, k8s.WatchOptions{Selector: "app=x", Timeout: 4 * time.Second})
		put(ctx, c, "a", "1")
		Eventually(w.events).Should(Equal([]string{"ADDED a 1"}))
		front.Drop()
		put(ctx, c, "b", "1")
		last, err := w.end()
		Expect(err).NotTo(HaveOccurred())
		Expect(w.events()).To(Equal([]string{"ADDED a 1"}))
		front.Resume()
		next := watch(ctx, cut, k8s.WatchOptions{Selector: "app=x", ResourceVersion: last})
		Eventually(next.events).Should(Equal([]string{"ADDED b 1"}))
		Consistently(next.events).Should(HaveLen(1))
	})

	It("ends without an error when its time is over before it has begun", func(ctx SpecContext) {
		c := newClient()
		silent, front := fronted(ctx, c)
		front.Pause()
		for _, from := range []string{"", "1"} {
			w := watch(ctx, silent, k8s.WatchOptions{ResourceVersion: from, Timeout: 500 * time.Millisecond})
			last, err := w.end()
			Expect(err).NotTo(HaveOccurred())
			Expect(w.events()).To(BeEmpty())
			Expect(last).To(Equal(from))
		}
	})

	It("fails at once where it has never reached the server", func(ctx SpecContext) {
		c := newClient(nobody)
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", Relist: true})
		last, err := w.end()
		Expect(err).To(MatchError(HavePrefix("k8s: GET /api/v1/namespaces/" + c.Namespace() + "/configmaps: dial tcp ")))
		Expect(last).To(BeEmpty())
	})

	// The list has reached the server, and the loop has seen what there is.
	It("goes on where the connection is lost right after the first list", func(ctx SpecContext) {
		var refused atomic.Int32
		c := newClient(through(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if req.URL.Query().Has("watch") && refused.Add(1) <= 2 {
				return nil, syscall.ECONNREFUSED
			}
			return next.RoundTrip(req)
		}))
		put(ctx, c, "a", "1")
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x"})
		Eventually(w.events).Should(Equal([]string{"ADDED a 1"}))
		put(ctx, c, "b", "1")
		Eventually(w.events).Should(Equal([]string{"ADDED a 1", "ADDED b 1"}))
		Expect(refused.Load()).To(BeNumerically(">", 2))
	})
})
