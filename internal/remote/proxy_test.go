// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
)

// connectProxy is an http or https proxy that connects every target to one
// address, whatever its name.
type connectProxy struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

func startProxy(t *testing.T, to string, status int, secure *authority) *connectProxy {
	t.Helper()
	dial := func() (net.Conn, error) { return dialTest(t, to) }
	p := &connectProxy{}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.requests = append(p.requests, r)
		p.mu.Unlock()
		if status != http.StatusOK {
			http.Error(w, gossip, status)
			return
		}
		upstream, err := dial()
		if err != nil {
			http.Error(w, gossip, http.StatusBadGateway)
			return
		}
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			_ = upstream.Close()
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
		splice(client, upstream)
	}))
	p.Config.ErrorLog = quiet()
	if secure == nil {
		p.Start()
	} else {
		pair, _, _ := secure.issue(t, nil)
		p.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, ClientAuth: tls.RequestClientCert}
		p.StartTLS()
	}
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (p *connectProxy) seen() []*http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*http.Request(nil), p.requests...)
}

// splice copies both ways until either side ends.
func splice(a, b net.Conn) {
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{a, b}, {b, a}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1])
			done <- struct{}{}
		}()
	}
	<-done
	_, _ = a.Close(), b.Close()
}

func proxied(policy Policy) Policy {
	policy.AllowProxy = true
	return policy
}

func TestEnvironmentProxyIsIgnored(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	names := &resolver{answers: [][]string{{"127.0.0.1"}}}
	g.Expect(reach(t, proxied(loopback()), p.named(), WithResolver(names))).To(Succeed())
	g.Expect(p.served.Load()).To(Equal(int64(1)))
	g.Expect(proxyTrap.Load()).To(BeZero())
}

func TestProxy(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		g := NewWithT(t)
		p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
		policy := proxied(loopback())
		var ca *authority
		if secure {
			ca = newAuthority(t)
			policy.ProxyRootCAs = ca.pool()
		}
		proxy := startProxy(t, p.Listener.Addr().String(), http.StatusOK, ca)
		ep := p.named()
		ep.ProxyURL = proxy.URL

		g.Expect(reach(t, policy, ep, WithResolver(&resolver{}))).To(Succeed())
		g.Expect(p.lastRequest(t).Header.Get("Authorization")).To(Equal("Bearer " + canary))
		seen := proxy.seen()
		g.Expect(seen).To(HaveLen(1))
		g.Expect(seen[0].Method).To(Equal(http.MethodConnect))
		g.Expect(seen[0].Host).To(HavePrefix("plane.example:"))
		g.Expect(seen[0].Header).To(Equal(http.Header{"User-Agent": {"ccluster-go/dev (registration)"}}))
	}
}

// The plane's CA and certificate are not for its proxy.
func TestSecureProxyIsVerifiedAsItself(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	proxy := startProxy(t, p.Listener.Addr().String(), http.StatusOK, p.ca)
	ep := p.endpoint()
	ep.ProxyURL = proxy.URL
	expectFailure(t, reach(t, proxied(loopback()), ep), ProxyFailed)
	g.Expect(proxy.seen()).To(BeEmpty())
}

func TestProxyFailures(t *testing.T) {
	t.Parallel()
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	ep := p.endpoint()

	proxy := startProxy(t, p.Listener.Addr().String(), http.StatusProxyAuthRequired, nil)
	ep.ProxyURL = proxy.URL
	failure := expectFailure(t, reach(t, proxied(loopback()), ep), ProxyFailed)
	NewWithT(t).Expect(failure.HTTPStatus).To(Equal(http.StatusProxyAuthRequired))

	// The proxy's own address is checked.
	ep = p.named()
	ep.Server = "https://203.0.113.7"
	ep.ProxyURL = proxy.URL
	expectFailure(t, reach(t, proxied(DefaultPolicy()), ep), AddressDenied)
	ep.ProxyURL = "socks5://" + proxy.Listener.Addr().String()
	expectFailure(t, reach(t, proxied(DefaultPolicy()), ep), AddressDenied)
	NewWithT(t).Expect(proxy.seen()).To(HaveLen(1))

	ep.ProxyURL = "http://" + refusingAddress(t)
	expectFailure(t, reach(t, proxied(loopback()), ep), ConnectionRefused)
	ep.ProxyURL = "socks5://" + refusingAddress(t)
	expectFailure(t, reach(t, proxied(loopback()), ep), ConnectionRefused)

	hasty := proxied(loopback())
	hasty.TLSTimeout = short
	hastySOCKS := hasty
	hastySOCKS.DialTimeout = short
	hanging := listenRaw(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	for scheme, policy := range map[string]Policy{"http": hasty, "https": hasty, "socks5": hastySOCKS} {
		ep.ProxyURL = scheme + "://" + hanging
		expectFailure(t, reach(t, policy, ep), ConnectionTimedOut)
	}

	babbling := listenRaw(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"+gossip)
		_, _ = io.Copy(io.Discard, conn)
	})
	ep.ProxyURL = "http://" + babbling
	expectFailure(t, reach(t, proxied(loopback()), ep), ProxyFailed)
}

func TestSOCKSProxy(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	targets := make(chan string, 1)
	socks := listenRaw(t, func(conn net.Conn) { serveSOCKS(t, conn, p.Listener.Addr().String(), targets) })
	ep := p.named()
	ep.ProxyURL = "socks5://" + socks
	g.Expect(reach(t, proxied(loopback()), ep, WithResolver(&resolver{}))).To(Succeed())
	g.Expect(<-targets).To(Equal("plane.example"))
	g.Expect(p.served.Load()).To(Equal(int64(1)))
}

// serveSOCKS speaks as much of RFC 1928 as a CONNECT by name needs.
func serveSOCKS(t *testing.T, conn net.Conn, to string, targets chan<- string) {
	t.Helper()
	reader := bufio.NewReader(conn)
	greeting := make([]byte, 2)
	if _, err := io.ReadFull(reader, greeting); err != nil {
		return
	}
	if _, err := reader.Discard(int(greeting[1])); err != nil {
		return
	}
	_, _ = conn.Write([]byte{5, 0})
	head := make([]byte, 5) // version, command, reserved, type, length of the name
	if _, err := io.ReadFull(reader, head); err != nil {
		return
	}
	name := make([]byte, int(head[4]))
	if _, err := io.ReadFull(reader, name); err != nil {
		return
	}
	var port uint16
	if err := binary.Read(reader, binary.BigEndian, &port); err != nil {
		return
	}
	targets <- string(name)
	upstream, err := dialTest(t, to)
	if err != nil {
		return
	}
	_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	splice(conn, upstream)
}

// listenRaw serves TCP connections, each closed when serve returns or the test ends.
func listenRaw(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener := listen(t)
	var (
		mu      sync.Mutex
		conns   []net.Conn
		serving sync.WaitGroup
	)
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			serving.Go(func() {
				defer func() { _ = conn.Close() }()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return listener.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return listener
}

func dialTest(t *testing.T, to string) (net.Conn, error) {
	t.Helper()
	return (&net.Dialer{}).DialContext(t.Context(), "tcp", to)
}
