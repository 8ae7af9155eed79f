// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestSettle(t *testing.T) {
	plain := errors.New("plain")
	pending := &problem{reason: v1alpha1.ReasonTokenPending, backoff: true}
	for name, test := range map[string]struct {
		err       error
		nextCheck time.Time
		failures  int
		after     time.Duration
		failure   error
		// counted tells that the failure is remembered.
		counted bool
	}{
		"done, nothing to check":  {},
		"done, a check to come":   {nextCheck: now.Add(42 * time.Second), after: 42 * time.Second},
		"done, a check overdue":   {nextCheck: now.Add(-time.Hour), after: time.Millisecond},
		"an error":                {err: plain, nextCheck: now.Add(time.Hour), failure: plain},
		"a problem with an error": {err: &problem{reason: "X", err: plain, backoff: true, after: time.Hour}, failure: plain},
		"a wait for a change":     {err: &problem{reason: "X"}, nextCheck: now.Add(time.Hour)},
		"a wait for a time":       {err: &problem{reason: "X", after: 7 * time.Second}, after: 7 * time.Second},
		"a wrapped wait":          {err: fmt.Errorf("step: %w", &problem{after: 7 * time.Second}), after: 7 * time.Second},
		"two problems":            {err: errors.Join(&problem{after: 7 * time.Second}, plain), after: 7 * time.Second},
		"the first failure":       {err: &problem{backoff: true}, after: time.Second, counted: true},
		"the third failure":       {err: &problem{backoff: true}, failures: 2, after: 9 * time.Second, counted: true},
		"the hundredth failure":   {err: &problem{backoff: true}, failures: 99, after: 8 * time.Minute, counted: true},
		"a longer wait asked for": {err: &problem{backoff: true, after: time.Minute}, after: time.Minute, counted: true},
		"a shorter one asked for": {err: &problem{backoff: true, after: time.Second}, failures: 2, after: 9 * time.Second, counted: true},
		"a token to come":         {err: pending, after: 100 * time.Millisecond, counted: true},
		"a token that takes long": {err: pending, failures: 3, after: 800 * time.Millisecond, counted: true},
		"a token that never came": {err: pending, failures: 1000, after: 5 * time.Second, counted: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := newScope(t, newReg())
			s.record.nextCheck, s.record.failures = test.nextCheck, test.failures
			after, err := r.settle(s, test.err)
			g.Expect(after).To(Equal(test.after))
			if test.failure == nil {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(Equal(test.failure))
				g.Expect(after).To(BeZero(), "never a result together with an error")
			}
			if test.counted {
				g.Expect(s.record.failures).To(Equal(test.failures + 1))
				g.Expect(s.record.retryAt).To(Equal(now.Add(test.after)))
			} else {
				g.Expect(s.record.failures).To(Equal(test.failures))
				g.Expect(s.record.retryAt).To(BeZero())
			}
		})
	}
}

func TestPendingWaitGrows(t *testing.T) {
	g := NewWithT(t)
	var waits []time.Duration
	for attempt := range 9 {
		waits = append(waits, pendingWait(attempt))
	}
	ms := time.Millisecond
	g.Expect(waits).To(Equal([]time.Duration{
		100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 5 * time.Second, 5 * time.Second, 5 * time.Second,
	}))
}

// The token controller's usual second is not worth a status.
func TestBrief(t *testing.T) {
	pending := &problem{reason: v1alpha1.ReasonTokenPending, backoff: true}
	for name, test := range map[string]struct {
		err      error
		failures int
		want     bool
	}{
		"nothing":                {nil, 0, false},
		"a token to come":        {pending, 1, true},
		"for the fifth time":     {fmt.Errorf("step: %w", pending), 5, true},
		"for the sixth time":     {pending, 6, false},
		"something else to come": {&problem{reason: v1alpha1.ReasonPending}, 1, false},
		"an error":               {errors.New("plain"), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := newScope(t, newReg())
			s.record.failures = test.failures
			NewWithT(t).Expect(s.brief(test.err)).To(Equal(test.want))
		})
	}
}

// A wait for a token is brief for some three seconds, and then it is told.
func TestATokenThatDoesNotComeIsTold(t *testing.T) {
	g := NewWithT(t)
	r, s := newScope(t, newReg())
	pending := &problem{reason: v1alpha1.ReasonTokenPending, backoff: true}
	var total time.Duration
	for range 100 {
		after, err := r.settle(s, pending)
		g.Expect(err).NotTo(HaveOccurred())
		if !s.brief(pending) {
			break
		}
		total += after
	}
	g.Expect(total).To(And(BeNumerically(">", time.Second), BeNumerically("<", 5*time.Second)))
}
