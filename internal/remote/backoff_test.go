// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestBackoffGrowsToItsCap(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	const middle = 0.5
	for attempt, seconds := range []float64{1, 3, 9, 27, 81, 243, 480, 480} {
		g.Expect(Backoff(attempt, middle).Seconds()).To(Equal(seconds), "attempt %d", attempt)
	}
	g.Expect(Backoff(-1, middle)).To(Equal(time.Second))
	g.Expect(Backoff(1<<30, middle)).To(Equal(8 * time.Minute))
}

func TestBackoffJitter(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	const almostOne = 1 - 1e-9
	g.Expect(Backoff(0, 0)).To(Equal(850 * time.Millisecond))
	g.Expect(Backoff(0, almostOne)).To(BeNumerically("~", 1150*time.Millisecond, time.Microsecond))
	g.Expect(Backoff(100, 0)).To(BeNumerically(">=", 4*time.Minute))
}

func TestBackoffDialsPerHour(t *testing.T) {
	t.Parallel()
	attempts, at := 0, time.Duration(0)
	for at < time.Hour {
		at += Backoff(attempts, 0) // the unluckiest plane
		attempts++
	}
	NewWithT(t).Expect(attempts).To(Equal(15))
}
