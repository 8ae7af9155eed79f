// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

const soon = 20 * time.Second

func askVersion(t *testing.T, conn *Conn) error {
	t.Helper()
	_, err := conn.Version(t.Context())
	return err
}

func TestConnectReturnsTheSameConn(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", goodVersion))
	pool := newPool(t, loopback())
	first, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	for range 10 {
		again, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(again).To(BeIdenticalTo(first))
		g.Expect(askVersion(t, again)).To(Succeed())
	}
	g.Expect(p.accepted.Load()).To(Equal(int64(1)))
	g.Expect(p.served.Load()).To(Equal(int64(10)))
	other, err := pool.Connect(edge("edge-2"), p.endpoint(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(other).NotTo(BeIdenticalTo(first))
	g.Expect(pool.Len()).To(Equal(2))
}

func TestEveryFieldMakesANewConn(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	f := newFingerprints()
	ca := newAuthority(t).pem
	seen := map[fingerprint]string{}
	add := func(name string, ep kubeconfig.Endpoint, cred kubeconfig.Credential) {
		identity := f.of(ep, cred)
		g.Expect(seen).NotTo(HaveKey(identity), name)
		g.Expect(f.of(ep, cred)).To(Equal(identity))
		seen[identity] = name
	}
	server := kubeconfig.Endpoint{Server: "https://a"}
	add("base", server, bearer())
	add("server", kubeconfig.Endpoint{Server: "https://b"}, bearer())
	add("CA", kubeconfig.Endpoint{Server: "https://a", CAData: ca}, bearer())
	add("server name", kubeconfig.Endpoint{Server: "https://a", TLSServerName: "x"}, bearer())
	add("proxy", kubeconfig.Endpoint{Server: "https://a", ProxyURL: "x"}, bearer())
	add("insecure", kubeconfig.Endpoint{Server: "https://a", Insecure: true}, bearer())
	add("token", server, kubeconfig.Credential{BearerToken: "x"})
	add("certificate", server, kubeconfig.Credential{ClientCertificateData: []byte("x")})
	add("key", server, kubeconfig.Credential{ClientKeyData: []byte("x")})
	add("user", server, kubeconfig.Credential{Username: "x"})
	add("password", server, kubeconfig.Credential{Password: "x"})
	add("moved bytes", server, kubeconfig.Credential{Username: "xy"})
	add("moved bytes", server, kubeconfig.Credential{Username: "x", Password: "y"})
	g.Expect(newFingerprints().of(server, bearer())).NotTo(Equal(f.of(server, bearer())))
}

func TestNewPoolRejectsNil(t *testing.T) {
	t.Parallel()
	for _, option := range []Option{WithResolver(nil), WithObserver(nil)} {
		_, err := NewPool(DefaultPolicy(), option)
		NewWithT(t).Expect(err).To(MatchError("make pool: resolver and observer must not be nil"))
	}
}

func TestReplacedConnIsClosed(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", goodVersion))
	pool := newPool(t, loopback())
	old, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(askVersion(t, old)).To(Succeed())
	current, err := pool.Connect(edge("edge-1"), p.endpoint(), kubeconfig.Credential{BearerToken: "rotated"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(askVersion(t, current)).To(Succeed())
	g.Expect(p.lastRequest(t).Header.Get("Authorization")).To(Equal("Bearer rotated"))
	g.Eventually(p.open.Load).WithTimeout(soon).Should(Equal(int64(1)))
	expectFailure(t, askVersion(t, old), ConnectionClosed)
	expectFailure(t, getSecret(t, old), ConnectionClosed)
	g.Expect(p.accepted.Load()).To(Equal(int64(2)))
	g.Expect(pool.Len()).To(Equal(1))
}

// What began with the previous credential may end.
func TestReplacedConnFinishesItsRequests(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	c := &crowd{release: make(chan struct{})}
	p := startPlane(t, c.ServeHTTP)
	pool := newPool(t, loopback())
	old, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	result := make(chan error, 1)
	go func() { result <- askVersion(t, old) }()
	g.Eventually(c.inside.Load).WithTimeout(soon).Should(Equal(int64(1)))
	_, err = pool.Connect(edge("edge-1"), p.endpoint(), kubeconfig.Credential{BearerToken: "rotated"})
	g.Expect(err).NotTo(HaveOccurred())
	expectFailure(t, askVersion(t, old), ConnectionClosed)
	close(c.release)
	g.Expect(<-result).NotTo(HaveOccurred())
	g.Eventually(p.open.Load).WithTimeout(soon).Should(BeZero())
}

func TestForgetEndsRequests(t *testing.T) {
	t.Parallel()
	for _, protocol := range [][]planeOption{nil, {withHTTP1()}} {
		g := NewWithT(t)
		c := &crowd{release: make(chan struct{})}
		p := startPlane(t, c.ServeHTTP, protocol...)
		policy := loopback()
		policy.MaxInFlight = 1
		pool := newPool(t, policy)
		conn, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
		g.Expect(err).NotTo(HaveOccurred())
		results := make(chan error, 2)
		for range 2 { // One in flight, one waiting for its turn.
			go func() { results <- askVersion(t, conn) }()
		}
		g.Eventually(c.inside.Load).WithTimeout(soon).Should(Equal(int64(1)))
		pool.Forget(edge("edge-1"))
		expectFailure(t, <-results, ConnectionClosed)
		expectFailure(t, <-results, ConnectionClosed)
		g.Eventually(p.open.Load).WithTimeout(soon).Should(BeZero())
		g.Expect(pool.Len()).To(BeZero())
		pool.Forget(edge("edge-1"))
		conn.Close()
		close(c.release)

		again, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(again).NotTo(BeIdenticalTo(conn))
		g.Expect(askVersion(t, again)).To(Succeed())
	}
}

func TestFreshConns(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", goodVersion))
	pool := newPool(t, loopback())
	for range 3 {
		conn, err := pool.Fresh(edge("edge-1"), p.endpoint(), bearer())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(askVersion(t, conn)).To(Succeed())
		conn.Close()
		expectFailure(t, askVersion(t, conn), ConnectionClosed)
	}
	g.Expect(p.accepted.Load()).To(Equal(int64(3)))
	g.Eventually(p.open.Load).WithTimeout(soon).Should(BeZero())
	g.Expect(pool.Len()).To(BeZero())
	g.Expect(pool.slots).To(BeEmpty())
	g.Expect(pool.open).To(BeEmpty())
}

func TestConcurrentConnects(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", goodVersion))
	pool := newPool(t, loopback())
	var wait sync.WaitGroup
	conns := make([]*Conn, 16)
	for i := range conns {
		wait.Go(func() {
			conn, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
			if err == nil && askVersion(t, conn) == nil {
				conns[i] = conn
			}
		})
	}
	wait.Wait()
	for _, conn := range conns {
		g.Expect(conn).To(BeIdenticalTo(conns[0]))
	}
	g.Expect(conns[0]).NotTo(BeNil())
}

var clientGoroutine = regexp.MustCompile(`net/http\.\(\*persistConn\)\.(read|write)Loop|[Cc]lientConn\)\.readLoop|internal/remote\.\(\*(Conn|Pool|dialer)\)`)

// clientGoroutines counts goroutines that belong to connections of this package.
// Tests that use it do not run in parallel with others.
func clientGoroutines() int {
	stacks := make([]byte, 8<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	count := 0
	for _, stack := range regexp.MustCompile(`\n\n`).Split(string(stacks), -1) {
		if clientGoroutine.MatchString(stack) {
			count++
		}
	}
	return count
}

func TestGoroutinesPerPlane(t *testing.T) {
	for name, protocol := range map[string]struct {
		options  []planeOption
		perPlane int
	}{"HTTP/2": {nil, 1}, "HTTP/1.1": {[]planeOption{withHTTP1()}, 2}} {
		g := NewWithT(t)
		p := startPlane(t, fixed(200, "application/json", goodVersion), protocol.options...)
		pool := newPool(t, loopback())
		before := clientGoroutines()
		const planes = 10
		for i := range planes {
			conn, err := pool.Connect(edge("edge-"+strconv.Itoa(i)), p.endpoint(), bearer())
			g.Expect(err).NotTo(HaveOccurred())
			for range 3 {
				g.Expect(askVersion(t, conn)).To(Succeed())
			}
		}
		g.Expect(p.accepted.Load()).To(Equal(int64(planes)), name)
		g.Eventually(clientGoroutines).WithTimeout(soon).Should(Equal(before+planes*protocol.perPlane), name)
		pool.Close()
		g.Eventually(clientGoroutines).WithTimeout(soon).Should(Equal(before), name)
		g.Eventually(p.open.Load).WithTimeout(soon).Should(BeZero(), name)

		_, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
		expectFailure(t, err, ConnectionClosed)
		_, err = pool.Fresh(edge("edge-1"), p.endpoint(), bearer())
		expectFailure(t, err, ConnectionClosed)
	}
}

// Closing must also end what is stuck.
func TestNoGoroutinesAfterClose(t *testing.T) {
	g := NewWithT(t)
	before := clientGoroutines()
	c := &crowd{release: make(chan struct{})}
	defer close(c.release)
	pool := newPool(t, loopback())
	var p []*plane
	results := make(chan error, 2)
	for i, protocol := range [][]planeOption{nil, {withHTTP1()}} {
		p = append(p, startPlane(t, c.ServeHTTP, protocol...))
		conn, err := pool.Connect(edge("edge-"+strconv.Itoa(i)), p[i].endpoint(), bearer())
		g.Expect(err).NotTo(HaveOccurred())
		go func() { results <- askVersion(t, conn) }()
	}
	g.Eventually(c.inside.Load).WithTimeout(soon).Should(Equal(int64(2)))
	g.Expect(clientGoroutines()).To(BeNumerically(">", before))
	pool.Close()
	for range 2 {
		expectFailure(t, <-results, ConnectionClosed)
	}
	g.Eventually(clientGoroutines).WithTimeout(soon).Should(Equal(before))
	g.Expect(pool.slots).To(BeEmpty())
	g.Expect(pool.open).To(BeEmpty())
}
