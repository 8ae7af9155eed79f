// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"golang.org/x/net/proxy"
)

// maxConnectHeader caps a proxy's answer to CONNECT, in bytes.
const maxConnectHeader = 16 << 10

// viaProxy asks the proxy for a connection. It is done here and not by net/http
// because an https proxy must be verified as itself: net/http would verify it
// with the plane's CA and name, and show it the plane's client certificate.
func (d *dialer) viaProxy(ctx context.Context, hostPort string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, failed(opDial, InvalidConfig)
	}
	if d.policy.deniesHost(host) {
		return nil, failed(opDial, AddressDenied)
	}
	if d.proxy.Scheme == "socks5" {
		return d.viaSOCKS(ctx, hostPort)
	}
	conn, err := d.direct(ctx, proxyAddress(d.proxy))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.policy.TLSTimeout)
	defer cancel()
	tunnel, failure := d.connect(ctx, conn, hostPort)
	if failure.Kind != None {
		_ = conn.Close()
		return nil, &Error{Op: opDial, Failure: failure}
	}
	return tunnel, nil
}

// connect does the handshakes with an http or https proxy over conn.
func (d *dialer) connect(ctx context.Context, conn net.Conn, hostPort string) (net.Conn, Failure) {
	// Cancellation cuts a blocked read or write short.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if d.proxy.Scheme == "https" {
		secure := tls.Client(conn, &tls.Config{
			MinVersion: tls.VersionTLS12,
			RootCAs:    d.policy.ProxyRootCAs,
			ServerName: d.proxy.Hostname(),
		})
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, proxyFailure(ctx, err)
		}
		conn = secure
	}
	request := &http.Request{
		Method: http.MethodConnect,
		URL:    &url.URL{Opaque: hostPort},
		Host:   hostPort,
		Header: http.Header{"User-Agent": {d.userAgent}},
	}
	if err := request.Write(conn); err != nil {
		return nil, proxyFailure(ctx, err)
	}
	reader := bufio.NewReader(io.LimitReader(conn, maxConnectHeader))
	answer, err := http.ReadResponse(reader, request)
	if err != nil {
		return nil, proxyFailure(ctx, err)
	}
	defer func() { _ = answer.Body.Close() }()
	// In TLS the client speaks first: bytes after the header are none of the
	// server's.
	if answer.StatusCode != http.StatusOK || reader.Buffered() > 0 {
		return nil, Failure{Kind: ProxyFailed, HTTPStatus: answer.StatusCode}
	}
	if !stop() {
		return nil, proxyFailure(ctx, ctx.Err())
	}
	return conn, Failure{}
}

func (d *dialer) viaSOCKS(ctx context.Context, hostPort string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.policy.DialTimeout+d.policy.TLSTimeout)
	defer cancel()
	forward := &forwarder{dialer: d}
	socks, err := proxy.SOCKS5("tcp", proxyAddress(d.proxy), nil, forward)
	if err != nil {
		return nil, failed(opDial, ProxyFailed)
	}
	contextual, ok := socks.(proxy.ContextDialer)
	if !ok {
		return nil, failed(opDial, ProxyFailed)
	}
	conn, err := contextual.DialContext(ctx, "tcp", hostPort)
	switch {
	case forward.err != nil:
		return nil, forward.err
	case err != nil:
		return nil, &Error{Op: opDial, Failure: proxyFailure(ctx, err)}
	}
	return conn, nil
}

// forwarder reaches the SOCKS proxy, and keeps the error that the SOCKS package
// would turn into text.
type forwarder struct {
	dialer *dialer
	err    error
}

func (f *forwarder) DialContext(ctx context.Context, _, hostPort string) (net.Conn, error) {
	conn, err := f.dialer.direct(ctx, hostPort)
	f.err = err
	return conn, err
}

// Dial is there for the interface; the SOCKS package prefers DialContext.
func (f *forwarder) Dial(_, _ string) (net.Conn, error) { return nil, failed(opDial, ProxyFailed) }

func proxyFailure(ctx context.Context, err error) Failure {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return Failure{Kind: Canceled}
	case ctx.Err() != nil, isTimeout(err):
		return Failure{Kind: ConnectionTimedOut}
	}
	return Failure{Kind: ProxyFailed}
}
