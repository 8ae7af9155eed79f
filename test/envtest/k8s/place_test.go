// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var _ = Describe("The place of a watch", func() {
	AfterEach(func() { DeferCleanup(nothingRuns) })

	It("leads from one watch to the next with neither loss nor repetition", func(ctx SpecContext) {
		c := newClient()
		done := make(chan []string, 1)
		go func() {
			defer GinkgoRecover()
			done <- write(ctx, c, 0, 150)
		}()
		var want, seen []string
		var last string
		for want == nil || len(seen) < len(want) {
			w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: last, Timeout: 100 * time.Millisecond})
			reached, err := w.end()
			Expect(err).NotTo(HaveOccurred())
			if reached == "" {
				Expect(w.events()).To(BeEmpty()) // The time was over within the first list.
			}
			last = reached
			seen = append(seen, w.events()...)
			select {
			case want = <-done:
			default:
			}
		}
		Expect(seen).To(Equal(want))
	}, SpecTimeout(2*time.Minute))

	It("leads on from a bookmark", func(ctx SpecContext) {
		// The server sends one two seconds before it ends a watch.
		c := newClient(ending("4"))
		put(ctx, c, "a", "1")
		from := position(ctx, c)
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: from, Timeout: 7 * time.Second})
		put(ctx, c.In(testenv.Namespace(GinkgoTB(), admin)), "elsewhere", "1")
		last, err := w.end()
		Expect(err).NotTo(HaveOccurred())
		Expect(w.events()).To(BeEmpty())
		Expect(last).To(beAfter(from))
		put(ctx, c, "b", "1")
		patch(ctx, c, "a", "2")
		next := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: last})
		Eventually(next.events).Should(Equal([]string{"ADDED b 1", "MODIFIED a 2"}))
		Consistently(next.events).Should(HaveLen(2))
	})

	It("is never ahead of what the loop has seen", func(ctx SpecContext) {
		c := newClient()
		from := position(ctx, c)
		want := write(ctx, c, 0, 5)
		last := ""
		var seen []string
		for event, err := range c.Watch(ctx, configMaps, k8s.WatchOptions{Selector: "app=x", ResourceVersion: from, LastResourceVersion: &last}) {
			Expect(err).NotTo(HaveOccurred())
			seen = append(seen, "ADDED "+textAt(event.Object, "/metadata/name")+" v")
			Expect(last).NotTo(beAfter(textAt(event.Object, "/metadata/resourceVersion")))
			if len(seen) == len(want) {
				break
			}
		}
		Expect(seen).To(Equal(want))
		// Whoever goes on from there misses nothing of what comes.
		more := write(ctx, c, 5, 7)
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", ResourceVersion: last})
		Eventually(w.events).Should(ContainElements(more))
	})
})
