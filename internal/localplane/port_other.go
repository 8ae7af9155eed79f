// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package localplane

import (
	"fmt"
	"net"
)

// port is a TCP port of 127.0.0.1 that was free a moment ago. It cannot be
// held for the child here, so a busy machine may give it away.
type port struct {
	number int
}

func reservePort() (*port, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return nil, fmt.Errorf("unexpected listener address %T", listener.Addr())
	}
	if err := listener.Close(); err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return &port{number: address.Port}, nil
}

func (p *port) release() error { return nil }
