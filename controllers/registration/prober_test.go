// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// held is a probe that ends when it is told to, or canceled.
type held struct{ began, end, canceled chan struct{} }

func hold() held {
	return held{make(chan struct{}), make(chan struct{}), make(chan struct{})}
}

func (h held) run(ctx context.Context) (ccluster.ProbeResult, error) {
	close(h.began)
	select {
	case <-h.end:
		return ccluster.ProbeResult{Outcome: ccluster.ProbeSucceeded}, nil
	case <-ctx.Done():
		close(h.canceled)
		<-h.end // It removes its Job.
		return ccluster.ProbeResult{}, ctx.Err()
	}
}

// newWaking is a prober, and the registrations that it has woken.
func newWaking() (*prober, chan types.NamespacedName) {
	p, woken := newProber(), make(chan types.NamespacedName, 100)
	p.wake = func(key types.NamespacedName) { woken <- key }
	return p, woken
}

func TestProberTellsAnEndOnce(t *testing.T) {
	g := NewWithT(t)
	p, woken := newWaking()
	h := hold()
	ctx, cancel := context.WithCancel(t.Context())
	p.start(ctx, regKey, "a", h.run)
	cancel() // The pass is over, the probe is not.
	g.Eventually(h.began).Should(BeClosed())
	g.Expect(p.running(regKey, "a")).To(BeTrue())
	g.Expect(p.running(regKey, "b")).To(BeFalse())
	g.Expect(p.collect(regKey, "a")).To(BeNil())
	close(h.end)
	g.Eventually(woken).Should(Receive(Equal(regKey)))
	g.Expect(h.canceled).NotTo(BeClosed())
	g.Expect(p.running(regKey, "a")).To(BeFalse())
	g.Expect(p.collect(regKey, "a").result.Outcome).To(Equal(ccluster.ProbeSucceeded))
	g.Expect(p.collect(regKey, "a")).To(BeNil())
}

func TestProberReplacesAProbeOfOtherInputs(t *testing.T) {
	g := NewWithT(t)
	p, woken := newWaking()
	first, second := hold(), hold()
	p.start(t.Context(), regKey, "a", first.run)
	g.Eventually(first.began).Should(BeClosed())
	p.start(t.Context(), regKey, "b", second.run)
	g.Eventually(first.canceled).Should(BeClosed())
	g.Consistently(second.began, "100ms").ShouldNot(BeClosed())
	close(first.end)
	g.Eventually(second.began).Should(BeClosed())
	close(second.end)
	g.Eventually(woken).Should(Receive())
	g.Eventually(woken).Should(Receive())
	g.Expect(p.collect(regKey, "b").err).NotTo(HaveOccurred())
}

func TestProberForgetsWhatNobodyWaitsFor(t *testing.T) {
	g := NewWithT(t)
	p, woken := newWaking()
	g.Expect(p.cancel(regKey)).To(BeFalse())
	h := hold()
	p.start(t.Context(), regKey, "a", h.run)
	g.Eventually(h.began).Should(BeClosed())
	g.Expect(p.cancel(regKey)).To(BeTrue())
	g.Eventually(h.canceled).Should(BeClosed())
	g.Expect(p.running(regKey, "a")).To(BeFalse())
	close(h.end)
	g.Eventually(woken).Should(Receive())
	g.Expect(p.cancel(regKey)).To(BeFalse())
	g.Expect(p.runs).To(BeEmpty())

	// Nor is an end told that is of other inputs by now.
	other := hold()
	close(other.end)
	p.start(t.Context(), regKey, "a", other.run)
	g.Eventually(woken).Should(Receive())
	g.Expect(p.collect(regKey, "b")).To(BeNil())
	g.Expect(p.runs).To(BeEmpty())
}

func TestProberRunsSomeAtATime(t *testing.T) {
	g := NewWithT(t)
	p, woken := newWaking()
	all := make([]held, maxProbes+1)
	for i := range all {
		all[i] = hold()
		p.start(t.Context(), types.NamespacedName{Namespace: "team", Name: string(rune('a' + i))}, "a", all[i].run)
		if i < maxProbes {
			g.Eventually(all[i].began).Should(BeClosed())
		}
	}
	last := all[maxProbes]
	g.Consistently(last.began, "100ms").ShouldNot(BeClosed())
	close(all[0].end)
	g.Eventually(last.began).Should(BeClosed())
	for _, h := range all[1:] {
		close(h.end)
	}
	for range all {
		g.Eventually(woken).Should(Receive())
	}
}

func TestProberStopsWithTheManager(t *testing.T) {
	g := NewWithT(t)
	p, _ := newWaking()
	h := hold()
	p.start(t.Context(), regKey, "a", h.run)
	g.Eventually(h.began).Should(BeClosed())
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- p.Start(ctx) }()
	stop()
	g.Eventually(h.canceled).Should(BeClosed())
	g.Consistently(stopped, "100ms").ShouldNot(Receive())
	close(h.end)
	g.Eventually(stopped).Should(Receive(BeNil()))
	g.Expect(p.collect(regKey, "a")).To(BeNil(), "it was broken off, not failed")

	// What is begun too late gives back what it holds.
	late := hold()
	close(late.end)
	p.start(t.Context(), regKey, "a", late.run)
	g.Expect(late.began).To(BeClosed())
	g.Expect(p.runs).To(BeEmpty())
}
