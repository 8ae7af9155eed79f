// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

const frontDialTimeout = 5 * time.Second

// Front is one more address of a plane's API server: a TCP forwarder on
// loopback, so that TLS and client certificates work through it and a plane can
// be known under several addresses. It can imitate a network that fails.
type Front struct {
	plane    *Plane
	listener net.Listener
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu       sync.Mutex
	mode     frontMode
	changed  chan struct{} // closed and replaced when mode changes
	target   string        // host:port
	open     map[net.Conn]struct{}
	accepted int
}

type frontMode int

const (
	forwarding frontMode = iota
	paused
	dropping
	closed
)

// Front opens another address of the plane, until Close or the plane's Stop.
func (p *Plane) Front(ctx context.Context) (*Front, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return nil, fmt.Errorf("open front of plane %s: %w", p.opts.Name, err)
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &Front{
		plane:    p,
		listener: listener,
		cancel:   cancel,
		changed:  make(chan struct{}),
		target:   p.hostPort(),
		open:     map[net.Conn]struct{}{},
	}
	p.mu.Lock()
	stopped := p.stopped
	if !stopped {
		p.fronts[f] = struct{}{}
	}
	p.mu.Unlock()
	f.wg.Go(func() { f.serve(life) })
	if stopped {
		_ = f.Close() // closing a listener nobody has used
		return nil, fmt.Errorf("open front of plane %s: %w", p.opts.Name, ErrStopped)
	}
	return f, nil
}

func (p *Plane) hostPort() string { return strings.TrimPrefix(p.Server(), "https://") }

// Server is the front's address, https://127.0.0.1:port.
func (f *Front) Server() string { return "https://" + f.listener.Addr().String() }

// Config is a copy of cfg that connects through the front.
func (f *Front) Config(cfg *rest.Config) *rest.Config {
	through := rest.CopyConfig(cfg)
	through.Host = f.Server()
	return through
}

// Kubeconfig is the plane's administrator kubeconfig with the front's address.
func (f *Front) Kubeconfig() ([]byte, error) {
	return Kubeconfig(f.plane.opts.Name, f.Config(f.plane.admin))
}

// Pause makes the network silent: connections stay open and new ones are
// accepted, but nothing gets through until Resume.
func (f *Front) Pause() { f.set(paused) }

// Resume forwards again; what a Pause held back gets through.
func (f *Front) Resume() { f.set(forwarding) }

// Drop resets every connection and each new one, until Resume.
func (f *Front) Drop() {
	f.set(dropping)
	f.reset()
}

// Retarget resets every connection and leads new ones to another plane, as when
// an address comes to belong to another cluster. That plane has a certificate
// authority of its own.
func (f *Front) Retarget(p *Plane) {
	f.mu.Lock()
	f.target = p.hostPort()
	f.mu.Unlock()
	f.reset()
}

// Accepted is the number of connections clients have made so far.
func (f *Front) Accepted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.accepted
}

// Open is the number of connections clients have open.
func (f *Front) Open() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open)
}

// Close resets every connection and refuses new ones. It returns when nothing
// of the front is running, and may be called several times.
func (f *Front) Close() error {
	f.plane.mu.Lock()
	delete(f.plane.fronts, f)
	f.plane.mu.Unlock()

	f.mu.Lock()
	first := f.mode != closed
	f.mu.Unlock()
	var err error
	if first {
		f.set(closed)
		f.cancel()
		if err = f.listener.Close(); err != nil {
			err = fmt.Errorf("close front of plane %s: %w", f.plane.opts.Name, err)
		}
		f.reset()
	}
	f.wg.Wait()
	return err
}

func (f *Front) set(mode frontMode) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mode == closed {
		return
	}
	f.mode = mode
	close(f.changed)
	f.changed = make(chan struct{})
}

// reset closes the clients' connections; their forwarding ends by itself.
func (f *Front) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.open {
		abort(conn)
	}
}

func (f *Front) serve(ctx context.Context) {
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return // closed
		}
		f.mu.Lock()
		f.accepted++
		f.open[conn] = struct{}{}
		f.mu.Unlock()
		f.wg.Go(func() {
			f.forward(ctx, conn)
			abort(conn)
			f.mu.Lock()
			delete(f.open, conn)
			f.mu.Unlock()
		})
	}
}

// forward connects a client with the target until either side ends.
func (f *Front) forward(ctx context.Context, client net.Conn) {
	if !f.pass(ctx) {
		return
	}
	f.mu.Lock()
	target := f.target
	f.mu.Unlock()
	dialer := net.Dialer{Timeout: frontDialTimeout}
	server, err := dialer.DialContext(ctx, "tcp4", target)
	if err != nil {
		return
	}
	defer abort(server)
	var wg sync.WaitGroup
	wg.Go(func() { f.pump(ctx, server, client) })
	wg.Go(func() { f.pump(ctx, client, server) })
	wg.Wait()
}

// pump moves bytes until from has no more, then tells to so.
func (f *Front) pump(ctx context.Context, to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			// A part that cannot be passed on ends both directions.
			if !f.pass(ctx) {
				abort(from)
				abort(to)
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				abort(from)
				abort(to)
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			finish(to)
			return
		case err != nil:
			abort(to)
			return
		}
	}
}

// pass waits while the front is paused. It is false when nothing may be
// forwarded any more.
func (f *Front) pass(ctx context.Context) bool {
	for {
		f.mu.Lock()
		mode, changed := f.mode, f.changed
		f.mu.Unlock()
		switch mode {
		case forwarding:
			return true
		case dropping, closed:
			return false
		case paused:
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// abort closes a connection with a reset instead of a regular end.
func abort(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // an already closed connection needs none
	}
	_ = conn.Close()
}

// finish tells the other side that no more bytes come; it may still send.
func finish(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
}
