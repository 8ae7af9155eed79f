// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"net"
	"sync"
)

// sockets are the open TCP connections of one Conn. The HTTP transport closes
// only those it considers idle; a Conn that is closed must leave none.
type sockets struct {
	mu     sync.Mutex
	open   map[*socket]struct{}
	closed bool
}

type socket struct {
	net.Conn
	owner *sockets
}

func (s *sockets) add(conn net.Conn) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return nil, failed(opDial, ConnectionClosed)
	}
	if s.open == nil {
		s.open = map[*socket]struct{}{}
	}
	kept := &socket{Conn: conn, owner: s}
	s.open[kept] = struct{}{}
	return kept, nil
}

// closeAll closes every socket, and those that a dial in progress still brings.
func (s *sockets) closeAll() {
	s.mu.Lock()
	open := s.open
	s.open, s.closed = nil, true
	s.mu.Unlock()
	for socket := range open {
		_ = socket.Conn.Close()
	}
}

// Close closes the connection and forgets it.
func (s *socket) Close() error {
	s.owner.mu.Lock()
	delete(s.owner.open, s)
	s.owner.mu.Unlock()
	return s.Conn.Close()
}
