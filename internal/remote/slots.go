// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import "context"

// slots bound the requests in flight to one plane, over all its Conns.
type slots struct {
	free  chan struct{}
	users int // guarded by the Pool
}

func newSlots(limit int) *slots { return &slots{free: make(chan struct{}, limit)} }

// acquire waits for a slot, and tells whether it got one before the context ended.
func (s *slots) acquire(ctx context.Context) bool {
	select {
	case s.free <- struct{}{}:
		return true
	default:
	}
	select {
	case s.free <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *slots) release() { <-s.free }
