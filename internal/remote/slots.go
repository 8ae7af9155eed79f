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

// acquire waits for a slot until the context ends or the Conn closes.
func (s *slots) acquire(ctx context.Context, closed <-chan struct{}) Kind {
	select {
	case s.free <- struct{}{}:
		return None
	default:
	}
	select {
	case s.free <- struct{}{}:
		return None
	case <-closed:
		return ConnectionClosed
	case <-ctx.Done():
		return ConnectionTimedOut
	}
}

func (s *slots) release() { <-s.free }
