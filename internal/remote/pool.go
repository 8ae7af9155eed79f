// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// Pool makes the connections to planes and keeps one per plane.
type Pool struct {
	policy       *Policy
	resolver     Resolver
	userAgent    string
	observe      func(op string, seconds float64, kind Kind)
	fingerprints fingerprints
	client       client.Client // shared by all planes; see planeClient

	mu     sync.Mutex
	closed bool
	pooled map[types.NamespacedName]*Conn
	open   map[*Conn]struct{} // pooled and fresh
	slots  map[types.NamespacedName]*slots
}

// opConnect is the Op of errors about an endpoint or credential as such.
const opConnect = "connect"

// Option changes a Pool.
type Option func(*Pool)

// WithUserAgent sets the User-Agent of every request; see UserAgent.
func WithUserAgent(agent string) Option { return func(p *Pool) { p.userAgent = agent } }

// WithResolver sets what names are resolved with. The default is Go's resolver.
func WithResolver(resolver Resolver) Option { return func(p *Pool) { p.resolver = resolver } }

// WithObserver sets a function that is called after each request that was sent,
// with an operation such as "get secrets", its duration without the wait for its
// turn, and the kind of failure. It must be fast and safe for concurrent use.
func WithObserver(observe func(op string, seconds float64, kind Kind)) Option {
	return func(p *Pool) { p.observe = observe }
}

// UserAgent is how this project's clients present themselves: its version, and
// what the client is for.
func UserAgent(version, purpose string) string {
	return fmt.Sprintf("ccluster-go/%s (%s)", version, purpose)
}

// NewPool returns a Pool without connections. It does no I/O.
func NewPool(policy Policy, options ...Option) (*Pool, error) {
	policy = policy.withDefaults()
	pool := &Pool{
		policy:       &policy,
		resolver:     net.DefaultResolver,
		userAgent:    UserAgent("dev", "registration"),
		observe:      func(string, float64, Kind) {},
		fingerprints: newFingerprints(),
		pooled:       map[types.NamespacedName]*Conn{},
		open:         map[*Conn]struct{}{},
		slots:        map[types.NamespacedName]*slots{},
	}
	for _, option := range options {
		option(pool)
	}
	if pool.resolver == nil || pool.observe == nil {
		return nil, errors.New("make pool: resolver and observer must not be nil")
	}
	shared, err := newSharedClient(pool.userAgent)
	if err != nil {
		return nil, err
	}
	pool.client = shared
	return pool, nil
}

// Connect returns the plane's connection: the one it has if endpoint and
// credential are the same, else a new one that takes its place. Requests in
// flight on the previous one end by themselves; further ones fail with
// ConnectionClosed. Connect does no I/O; its errors are *Error.
func (p *Pool) Connect(plane types.NamespacedName, ep kubeconfig.Endpoint, cred kubeconfig.Credential) (*Conn, error) {
	identity := p.fingerprints.of(ep, cred)
	p.mu.Lock()
	current := p.reusable(plane, identity)
	p.mu.Unlock()
	if current != nil {
		return current, nil
	}
	target, kind := newEndpoint(p.policy, ep, cred)
	if kind != None {
		return nil, failed(opConnect, kind)
	}
	p.mu.Lock()
	if current := p.reusable(plane, identity); current != nil {
		p.mu.Unlock()
		return current, nil
	}
	if p.closed {
		p.mu.Unlock()
		return nil, failed(opConnect, ConnectionClosed)
	}
	conn := p.newConn(plane, target)
	conn.fingerprint = identity
	previous := p.pooled[plane]
	p.pooled[plane] = conn
	p.mu.Unlock()
	if previous != nil {
		previous.drain()
	}
	return conn, nil
}

// Fresh returns a new connection that the Pool does not hand out again: to use a
// bootstrap credential once, or to prove what a server accepts now. The caller
// closes it. It shares the limit of requests in flight with the plane's others.
func (p *Pool) Fresh(plane types.NamespacedName, ep kubeconfig.Endpoint, cred kubeconfig.Credential) (*Conn, error) {
	target, kind := newEndpoint(p.policy, ep, cred)
	if kind != None {
		return nil, failed(opConnect, kind)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, failed(opConnect, ConnectionClosed)
	}
	return p.newConn(plane, target), nil
}

// Check applies the policy to an endpoint that something else will dial: it
// resolves the server and checks its addresses, but connects to nothing. With a
// proxy that the policy allows, only the name is checked, since the proxy
// resolves it.
func (p *Pool) Check(ctx context.Context, ep kubeconfig.Endpoint) error {
	base, kind := serverURL(p.policy, ep)
	if kind == None {
		_, kind = proxyURL(p.policy, ep.ProxyURL)
	}
	if kind == None {
		_, kind = tlsConfig(p.policy, ep)
	}
	if kind == None && ep.ProxyURL == "" {
		ctx, cancel := context.WithTimeout(ctx, p.policy.DialTimeout)
		defer cancel()
		_, kind = p.policy.resolve(ctx, p.resolver, net.JoinHostPort(base.Hostname(), portOf(base)))
	}
	if kind != None {
		return failed("check address", kind)
	}
	return nil
}

// Forget closes the plane's connection, if it has one.
func (p *Pool) Forget(plane types.NamespacedName) {
	p.mu.Lock()
	conn := p.pooled[plane]
	delete(p.pooled, plane)
	p.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
}

// Close closes all connections, fresh ones included, and makes no more.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.pooled = map[types.NamespacedName]*Conn{}
	open := make([]*Conn, 0, len(p.open))
	for conn := range p.open {
		open = append(open, conn)
	}
	p.mu.Unlock()
	for _, conn := range open {
		conn.Close()
	}
}

// Len is how many planes have a connection.
func (p *Pool) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pooled)
}

// reusable is called with the lock held.
func (p *Pool) reusable(plane types.NamespacedName, identity fingerprint) *Conn {
	conn := p.pooled[plane]
	if conn == nil || conn.fingerprint != identity || conn.isClosing() {
		return nil
	}
	return conn
}

// newConn is called with the lock held.
func (p *Pool) newConn(plane types.NamespacedName, target *endpoint) *Conn {
	limit := p.slots[plane]
	if limit == nil {
		limit = newSlots(p.policy.MaxInFlight)
		p.slots[plane] = limit
	}
	limit.users++
	open := &sockets{}
	dial := &dialer{
		policy: p.policy, resolver: p.resolver, proxy: target.proxy, userAgent: p.userAgent,
		net: net.Dialer{KeepAlive: keepAlive}, keep: open,
	}
	conn := &Conn{
		pool: p, plane: plane, target: target, sockets: open, slots: limit,
		transport: newTransport(p.policy, dial, target),
	}
	p.open[conn] = struct{}{}
	return conn
}

// remove forgets a Conn that is closing.
func (p *Pool) remove(conn *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, conn)
	conn.slots.users--
	if conn.slots.users == 0 {
		delete(p.slots, conn.plane)
	}
}
