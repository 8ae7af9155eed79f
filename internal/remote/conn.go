// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Conn is a connection to one plane with one credential. It is safe for
// concurrent use. Nothing is dialled before the first request.
type Conn struct {
	pool        *Pool
	plane       types.NamespacedName
	target      *endpoint
	transport   *http.Transport
	sockets     *sockets
	slots       *slots
	fingerprint fingerprint

	mu      sync.Mutex
	answers uint64
	last    Kind
	closing bool
	active  map[*exchange]context.CancelFunc
}

// Format keeps the credential out of formatted output, whatever the verb.
func (c *Conn) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, "connection (redacted)") }

// HTTPClient sends requests to the plane's server with all the guards of the
// Conn; requests to any other server are refused.
func (c *Conn) HTTPClient() *http.Client {
	return &http.Client{Transport: c, CheckRedirect: refuseRedirect}
}

// refuseRedirect is a second lock: RoundTrip returns no redirect to follow.
func refuseRedirect(*http.Request, []*http.Request) error { return failed("redirect", Redirected) }

// Server is the URL that requests go to, without a trailing slash.
func (c *Conn) Server() string { return c.target.base.String() }

// Close refuses further requests, ends those in flight and closes the TCP
// connections. A second call does nothing.
func (c *Conn) Close() {
	for _, cancel := range c.beginClose() {
		cancel()
	}
	c.hangUp()
}

// drain refuses further requests, and closes the TCP connections when those in
// flight are done, which Policy.RequestTimeout bounds. It lets work that began
// with the previous credential end in peace.
func (c *Conn) drain() {
	if len(c.beginClose()) == 0 {
		c.hangUp()
	}
}

// beginClose returns what cancels the requests in flight. It takes the locks of
// the Conn and the Pool one after the other, never both.
func (c *Conn) beginClose() []context.CancelFunc {
	c.mu.Lock()
	first := !c.closing
	c.closing = true
	cancels := slices.Collect(maps.Values(c.active))
	c.mu.Unlock()
	if first {
		c.pool.remove(c)
	}
	return cancels
}

// Answers is how many requests have succeeded so far, and the kind of the latest one's failure:
// whoever shares the connection need not ask what another has just been told.
func (c *Conn) Answers() (uint64, Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers, c.last
}

func (c *Conn) note(kind Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last = kind; kind == None {
		c.answers++
	}
}

func (c *Conn) hangUp() {
	c.transport.CloseIdleConnections()
	c.sockets.closeAll()
}

func (c *Conn) isClosing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing
}

// enter counts a request in, unless the Conn is closing.
func (c *Conn) enter(x *exchange, cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	if c.active == nil {
		c.active = map[*exchange]context.CancelFunc{}
	}
	c.active[x] = cancel
	return true
}

func (c *Conn) leave(x *exchange) {
	c.mu.Lock()
	delete(c.active, x)
	last := c.closing && len(c.active) == 0
	c.mu.Unlock()
	if last {
		c.hangUp()
	}
}

// owns tells whether the URL is one of the plane's server.
func (c *Conn) owns(target *url.URL) bool {
	return target.Scheme == c.target.base.Scheme && target.Host == c.target.base.Host && target.User == nil
}
