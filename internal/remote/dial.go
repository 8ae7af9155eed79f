// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"time"
)

// opDial is the Op of dial errors; the request that needed the connection
// replaces it by its own.
const opDial = "dial"

// dialer makes the TCP connections of one Conn. Its errors are all *Error.
type dialer struct {
	policy    *Policy
	resolver  Resolver
	proxy     *url.URL
	userAgent string
	net       net.Dialer
	keep      *sockets
}

// DialContext connects to host:port, through the proxy if there is one.
func (d *dialer) DialContext(ctx context.Context, _, hostPort string) (net.Conn, error) {
	if d.proxy != nil {
		return d.viaProxy(ctx, hostPort)
	}
	return d.direct(ctx, hostPort)
}

// direct resolves once, and dials exactly the addresses that were checked.
func (d *dialer) direct(ctx context.Context, hostPort string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.policy.DialTimeout)
	defer cancel()
	endpoints, kind := d.policy.resolve(ctx, d.resolver, hostPort)
	if kind != None {
		return nil, failed(opDial, kind)
	}
	first := Unknown
	for i, endpoint := range endpoints {
		conn, err := d.attempt(ctx, endpoint, len(endpoints)-i)
		if err == nil {
			return d.keep.add(conn)
		}
		if i == 0 {
			first = dialKind(ctx, err)
		}
	}
	return nil, failed(opDial, first)
}

// attempt gives an address its share of the time that is left, so that one that
// drops packets does not use up that of the next.
func (d *dialer) attempt(ctx context.Context, endpoint netip.AddrPort, left int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	return d.net.DialContext(ctx, "tcp", endpoint.String())
}
