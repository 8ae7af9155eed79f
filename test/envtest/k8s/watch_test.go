// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var _ = Describe("A watch", func() {
	AfterEach(func() { DeferCleanup(nothingRuns) })

	It("begins with what there is, and tells every change", func(ctx SpecContext) {
		c := newClient()
		put(ctx, c, "a", "1")
		put(ctx, c, "b", "1")
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x"})
		Eventually(w.events).Should(ConsistOf("ADDED a 1", "ADDED b 1"))
		put(ctx, c, "c", "2")
		patch(ctx, c, "a", "3")
		remove(ctx, c, "b")
		Eventually(w.events).Should(HaveLen(5))
		Expect(w.events()[2:]).To(Equal([]string{"ADDED c 2", "MODIFIED a 3", "DELETED b 1"}))
	})

	It("begins after a list's resourceVersion", func(ctx SpecContext) {
		c := newClient()
		put(ctx, c, "a", "1")
		from := position(ctx, c)
		put(ctx, c, "b", "1")
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: from})
		Eventually(w.events).Should(Equal([]string{"ADDED b 1"}))
		Consistently(w.events).Should(HaveLen(1))
	})

	It("tells what comes to match its selector, and what no longer does", func(ctx SpecContext) {
		c := newClient()
		w := watch(ctx, c, k8s.WatchOptions{Selector: "other=y"})
		put(ctx, c, "a", "1")
		label(ctx, c, "a", "y")
		label(ctx, c, "a", "n")
		Eventually(w.events).Should(Equal([]string{"ADDED a 1", "DELETED a 1"}))
	})

	It("ends without an error when its time is over", func(ctx SpecContext) {
		c := newClient()
		put(ctx, c, "a", "1")
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", Timeout: 500 * time.Millisecond})
		_, err := w.end()
		Expect(err).NotTo(HaveOccurred())
		Expect(w.events()).To(Equal([]string{"ADDED a 1"}))
	})

	It("ends with the context", func(ctx SpecContext) {
		c := newClient()
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		put(ctx, c, "a", "1")
		w := watch(within, c, k8s.WatchOptions{Selector: "app=x"})
		Eventually(w.events).Should(HaveLen(1))
		cancel()
		_, err := w.end()
		Expect(err).To(MatchError(context.Canceled))
	})

	It("ends when the loop is left, wherever that is", func(ctx SpecContext) {
		c := newClient()
		for i := range 3 {
			put(ctx, c, fmt.Sprint("c", i), "")
		}
		from := position(ctx, c)
		for _, options := range []k8s.WatchOptions{{Selector: "app=x"}, {Selector: "app=x", ResourceVersion: from}} {
			last := "not set"
			options.LastResourceVersion = &last
			put(ctx, c, "more"+options.ResourceVersion, "")
			for event, err := range c.Watch(ctx, configMaps, options) {
				Expect(err).NotTo(HaveOccurred())
				Expect(event.Type).To(Equal(k8s.Added))
				break
			}
			nothingRuns()
			// The first of those that exist does not stand for the others.
			if options.ResourceVersion == "" {
				Expect(last).To(BeEmpty())
			} else {
				Expect(last).To(Equal(from))
			}
		}
	})

	It("goes on where another has ended", func(ctx SpecContext) {
		c := newClient()
		put(ctx, c, "a", "1")
		first := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", Timeout: time.Second})
		last, err := first.end()
		Expect(err).NotTo(HaveOccurred())
		Expect(first.events()).To(Equal([]string{"ADDED a 1"}))
		put(ctx, c, "b", "1")
		second := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: last})
		Eventually(second.events).Should(Equal([]string{"ADDED b 1"}))
	})

	It("moves on with the server's bookmarks", func(ctx SpecContext) {
		// The server sends one two seconds before it ends a watch.
		c := newClient(ending("4"))
		from := position(ctx, c)
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: from, Timeout: 7 * time.Second})
		elsewhere := c.In(testenv.Namespace(GinkgoTB(), admin))
		put(ctx, elsewhere, "a", "1")
		last, err := w.end()
		Expect(err).NotTo(HaveOccurred())
		Expect(w.events()).To(BeEmpty())
		Expect(last).To(beAfter(from))
	})

	DescribeTable("is refused at once, and not tried for ever", func(ctx SpecContext, from string, selector string, change func(*rest.Config), want string) {
		c := newClient(change)
		options := k8s.WatchOptions{Selector: selector, ResourceVersion: from}
		w := watch(ctx, c, options)
		_, err := w.end()
		Expect(err).To(MatchError(ContainSubstring(want)))
		var refused *k8s.Error
		Expect(errors.As(err, &refused)).To(BeTrue())
		Expect(refused.Method).To(Equal("GET"))
	},
		Entry("for its selector", "1", "a in b", func(*rest.Config) {}, "400 BadRequest"),
		Entry("for its user", "1", "", impersonate, "403 Forbidden"),
		Entry("for its user, in the list before it", "", "", impersonate, "403 Forbidden"),
		Entry("for its resourceVersion", "x", "", func(*rest.Config) {}, "resourceVersion: Invalid value"),
		Entry("by nobody", "1", "", nobody, "connect"),
	)
})

func impersonate(config *rest.Config) { config.Impersonate.UserName = "stranger" }

// nobody leads to a port where nothing listens.
func nobody(config *rest.Config) { config.Host = "https://127.0.0.1:1" }

// ending has the server end each watch after some seconds.
func ending(seconds string) func(*rest.Config) {
	return through(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		query := req.URL.Query()
		if query.Has("watch") {
			query.Set("timeoutSeconds", seconds)
			req = req.Clone(req.Context())
			req.URL.RawQuery = query.Encode()
		}
		return next.RoundTrip(req)
	})
}
