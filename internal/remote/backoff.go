// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import "time"

const (
	backoffBase   = time.Second
	backoffFactor = 3
	backoffCap    = 8 * time.Minute
	backoffJitter = 0.15
)

// Backoff is how long to wait before trying an unreachable plane again, after
// attempt (0, 1, …) failed. It grows threefold from one second to eight minutes,
// give or take 15 %, which even for the unluckiest plane is at most 15 attempts
// in the first hour. The random number rnd is from [0, 1).
func Backoff(attempt int, rnd float64) time.Duration {
	delay := backoffBase
	for range max(attempt, 0) {
		delay *= backoffFactor
		if delay >= backoffCap {
			delay = backoffCap
			break
		}
	}
	return time.Duration(float64(delay) * (1 + backoffJitter*(2*rnd-1)))
}
