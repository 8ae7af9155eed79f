// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// fronted is a client in the same namespace through a network that can fail.
func fronted(ctx context.Context, c *k8s.Client) (*k8s.Client, *localplane.Front) {
	GinkgoHelper()
	front, err := plane.Front(ctx)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(front.Close()).To(Succeed()) })
	through, err := k8s.NewClient(k8s.Config{REST: front.Config(plane.Config()), Namespace: c.Namespace()})
	Expect(err).NotTo(HaveOccurred())
	return through, front
}

// write makes ConfigMaps one after the other, and returns the events that there must be.
func write(ctx context.Context, c *k8s.Client, from, to int) []string {
	GinkgoHelper()
	var want []string
	for i := from; i < to; i++ {
		name := fmt.Sprintf("c%03d", i)
		put(ctx, c, name, "v")
		want = append(want, "ADDED "+name+" v")
	}
	return want
}

var _ = Describe("A watch is taken up again", Serial, func() {
	AfterEach(func() { DeferCleanup(nothingRuns) })

	It("when the server ends it", func(ctx SpecContext) {
		c := newClient(ending("1"))
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x"})
		var want []string
		for i := range 12 {
			want = append(want, write(ctx, c, i, i+1)...)
			Eventually(w.events).Should(Equal(want))
			Consistently(w.events).Should(Equal(want)) // That takes its time, too.
		}
	})

	It("when the connection is cut, as often as that is", func(ctx SpecContext) {
		c := newClient()
		cut, front := fronted(ctx, c)
		w := watch(ctx, cut, k8s.WatchOptions{Selector: "app=x"})
		want := write(ctx, c, 0, 3)
		Eventually(w.events).Should(Equal(want))
		for i := range 3 {
			front.Drop()
			want = append(want, write(ctx, c, 3+10*i, 8+10*i)...)
			front.Resume()
			want = append(want, write(ctx, c, 8+10*i, 13+10*i)...)
			Eventually(w.events).Should(Equal(want))
		}
		Consistently(w.events).Should(Equal(want))
	})

	It("in the middle of a stream of events", func(ctx SpecContext) {
		c := newClient()
		cut, front := fronted(ctx, c)
		w := watch(ctx, cut, k8s.WatchOptions{Selector: "app=x", ResourceVersion: position(ctx, c)})
		done := make(chan []string, 1)
		go func() {
			defer GinkgoRecover()
			done <- write(ctx, c, 0, 300)
		}()
		for range 3 {
			seen := len(w.events())
			Eventually(func() int { return len(w.events()) }).Should(BeNumerically(">", seen+10))
			front.Drop()
			front.Resume()
		}
		want := <-done
		Eventually(func() int { return len(w.events()) }).Should(BeNumerically(">=", len(want)))
		Expect(w.events()).To(Equal(want))
	})

	It("when the API server is started anew", func(ctx SpecContext) {
		c := newClient()
		// What somebody else has changed last is not known to the watch, and perhaps forgotten by now.
		w := watch(ctx, c, k8s.WatchOptions{Selector: "app=x", Relist: true})
		want := write(ctx, c, 0, 2)
		Eventually(w.events).Should(Equal(want))
		restart(ctx)
		want = append(want, write(ctx, c, 2, 4)...)
		Eventually(w.events).Should(Equal(want))
	})

	It("but not where the server has forgotten what was between", func(ctx SpecContext) {
		c := newClient()
		cut, front := fronted(ctx, c)
		w := watch(ctx, cut, k8s.WatchOptions{Selector: "app=x"})
		Eventually(w.events).Should(Equal(write(ctx, c, 0, 1)))
		front.Drop()
		write(ctx, c, 1, 2)
		restart(ctx)
		front.Resume()
		_, err := w.end()
		Expect(err).To(MatchError(k8s.ErrExpired))
		var expired *k8s.Error
		Expect(errors.As(err, &expired)).To(BeTrue())
		Expect(expired.Code).To(Equal(410))
		Expect(w.events()).To(Equal([]string{"ADDED c000 v", "error: " + err.Error()}))
	})

	It("and on request with what has become of the objects meanwhile", func(ctx SpecContext) {
		c := newClient()
		cut, front := fronted(ctx, c)
		w := watch(ctx, cut, k8s.WatchOptions{Selector: "app=x", Relist: true})
		for _, name := range []string{"changed", "gone", "replaced", "same"} {
			put(ctx, c, name, "1")
		}
		Eventually(w.events).Should(HaveLen(4))
		front.Drop()
		patch(ctx, c, "changed", "2")
		patch(ctx, c, "changed", "3")
		remove(ctx, c, "gone")
		remove(ctx, c, "replaced")
		put(ctx, c, "replaced", "4")
		put(ctx, c, "new", "5")
		put(ctx, c, "passed", "6")
		remove(ctx, c, "passed")
		restart(ctx)
		front.Resume()
		Eventually(w.events).WithTimeout(time.Minute).Should(HaveLen(9))
		Expect(w.events()[4:6]).To(ConsistOf("DELETED gone 1", "DELETED replaced 1"))
		Expect(w.events()[6:]).To(ConsistOf("MODIFIED changed 3", "ADDED replaced 4", "ADDED new 5"))
		put(ctx, c, "later", "7")
		Eventually(w.events).Should(HaveLen(10))
		Expect(w.events()[9]).To(Equal("ADDED later 7"))
	})
})

// restart has an API server that remembers nothing of what was before.
func restart(ctx context.Context) {
	GinkgoHelper()
	Expect(plane.StopAPIServer()).To(Succeed())
	Expect(plane.StartAPIServer(ctx)).To(Succeed())
}
