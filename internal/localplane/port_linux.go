// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"fmt"
	"os"
	"syscall"
)

// port is a TCP port of 127.0.0.1 that nobody else is given while it is held.
//
// A socket that is bound but does not listen does it: the kernel chooses the
// port for no other socket, a connection to it is refused, and a server that
// asks for this very port with SO_REUSEADDR, as Go's do, gets it.
type port struct {
	number int
	socket int
}

func reservePort() (*port, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", os.NewSyscallError("socket", err))
	}
	number, err := bindLoopback(fd)
	if err != nil {
		_ = syscall.Close(fd) // the socket was never used
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return &port{number: number, socket: fd}, nil
}

func bindLoopback(fd int) (int, error) {
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	address, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, os.NewSyscallError("getsockname", err)
	}
	inet, ok := address.(*syscall.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("unexpected socket address %T", address)
	}
	return inet.Port, nil
}

func (p *port) release() error {
	if err := syscall.Close(p.socket); err != nil {
		return fmt.Errorf("release port %d: %w", p.number, err)
	}
	return nil
}
