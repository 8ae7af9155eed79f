// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// getSecret reads a Secret through the typed client.
func getSecret(t *testing.T, conn *Conn) error {
	t.Helper()
	return conn.Client().Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "b"}, &corev1.Secret{})
}

func TestAnswersThatAreNoKubernetes(t *testing.T) {
	t.Parallel()
	login := "<html><title>" + gossip + "</title></html>"
	for name, test := range map[string]struct {
		code        int
		contentType string
		body        string
	}{
		"empty object":       {200, "application/json", `{}`},
		"created, empty":     {201, "application/json", `{}`},
		"login page":         {200, "text/html; charset=utf-8", login},
		"login page as JSON": {200, "application/json", login},
		"no type":            {200, "", goodNamespace},
		"protobuf":           {200, "application/vnd.kubernetes.protobuf", "k8s\x00"},
		"nothing":            {200, "application/json", ""},
		"no content":         {204, "application/json", ""},
		"other kind":         {200, "application/json", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"` + gossip + `"}}`},
		"other version":      {200, "application/json", `{"kind":"Secret","apiVersion":"v2"}`},
		"status":             {200, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"` + gossip + `"}`},
		"two kinds":          {200, "application/json", `{"kind":"Secret","apiVersion":"v1","kind":"Status","status":"Failure","message":"` + gossip + `"}`},
		"kind in other case": {200, "application/json", `{"kind":"Secret","apiVersion":"v1","KIND":"Status","status":"Failure","message":"` + gossip + `"}`},
		"wrong field type":   {200, "application/json", `{"kind":"Secret","apiVersion":"v1","metadata":{"creationTimestamp":"` + gossip + `"}}`},
		"list":               {200, "application/json", `[]`},
		"web server's 404":   {404, "text/html", login},
		"JSON 404":           {404, "application/json", `{"error":"` + gossip + `"}`},
		"success as 404":     {404, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Success"}`},
		"web server's 400":   {400, "text/plain", gossip},
		"web server's 409":   {409, "text/plain", gossip},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startPlane(t, fixed(test.code, test.contentType, test.body))
			failure := expectFailure(t, getSecret(t, connect(t, p, loopback())), NotAKubernetesAPI)
			NewWithT(t).Expect(failure.FromAPI).To(BeFalse())
			NewWithT(t).Expect(p.served.Load()).To(Equal(int64(1)))
		})
	}
}

func TestRefusalsOutsideTheAPI(t *testing.T) {
	t.Parallel()
	for code, kind := range map[int]Kind{
		401: Unauthorized, 403: Forbidden, 429: TooManyRequests, 500: ServerError, 502: ServerError, 503: ServerError,
	} {
		p := startPlane(t, fixed(code, "text/html", gossip))
		conn := connect(t, p, loopback())
		want := Failure{Kind: kind, HTTPStatus: code}
		NewWithT(t).Expect(expectFailure(t, getSecret(t, conn), kind)).To(Equal(want))
		_, err := conn.Version(t.Context())
		NewWithT(t).Expect(expectFailure(t, err, kind)).To(Equal(want))
		NewWithT(t).Expect(p.served.Load()).To(Equal(int64(2)))
	}
}

// client-go would sleep as long as the header says, and try ten times.
func TestRetryAfterDoesNotBlock(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "999999999999": 10 * time.Minute, "-5": 0, "soon": 0, "99999999999999999999": 0,
	} {
		for code, kind := range map[int]Kind{429: TooManyRequests, 503: ServerError} {
			p := startPlane(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", header)
				answer(w, code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": gossip})
			})
			failure := expectFailure(t, getSecret(t, connect(t, p, loopback())), kind)
			NewWithT(t).Expect(failure).To(Equal(Failure{Kind: kind, HTTPStatus: code, RetryAfter: want, FromAPI: true}), header)
			NewWithT(t).Expect(p.served.Load()).To(Equal(int64(1)), header)
		}
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 302, 303, 304, 307, 308} {
		g := NewWithT(t)
		other := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
		p := startPlane(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL+"/"+gossip)
			w.WriteHeader(code)
		})
		conn := connect(t, p, loopback())
		failure := expectFailure(t, getSecret(t, conn), Redirected)
		g.Expect(failure.HTTPStatus).To(Equal(code))
		_, err := conn.Version(t.Context())
		expectFailure(t, err, Redirected)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/version", http.NoBody)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = conn.HTTPClient().Do(req) //nolint:bodyclose // There is none.
		expectFailure(t, err, Redirected)
		g.Expect(p.served.Load()).To(Equal(int64(3)))
		g.Expect(other.accepted.Load()).To(BeZero())
	}
}

func TestBodyCap(t *testing.T) {
	t.Parallel()
	policy := loopback()
	policy.MaxBody = 1024
	body := func(size int) string {
		const start, end = `{"kind":"Secret","apiVersion":"v1","type":"`, `"}`
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	for _, protocol := range [][]planeOption{nil, {withHTTP1()}} {
		p := startPlane(t, fixed(200, "application/json", body(1024)), protocol...)
		NewWithT(t).Expect(getSecret(t, connect(t, p, policy))).To(Succeed())
		p = startPlane(t, fixed(200, "application/json", body(1025)), protocol...)
		expectFailure(t, getSecret(t, connect(t, p, policy)), ResponseTooLarge)

		ended := make(chan struct{})
		endless := startPlane(t, func(w http.ResponseWriter, _ *http.Request) {
			defer close(ended)
			w.Header().Set("Content-Type", "application/json")
			for {
				if _, err := io.WriteString(w, gossip); err != nil {
					return
				}
			}
		}, protocol...)
		expectFailure(t, getSecret(t, connect(t, endless, policy)), ResponseTooLarge)
		<-ended // The server was cut off.
	}
}

func TestEndlessRefusalIsStillARefusal(t *testing.T) {
	t.Parallel()
	p := startPlane(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		for {
			if _, err := io.WriteString(w, gossip); err != nil {
				return
			}
		}
	})
	failure := expectFailure(t, getSecret(t, connect(t, p, loopback())), Unauthorized)
	NewWithT(t).Expect(failure.FromAPI).To(BeFalse())
}

func TestHugeHeader(t *testing.T) {
	t.Parallel()
	for _, protocol := range [][]planeOption{nil, {withHTTP1()}} {
		p := startPlane(t, func(w http.ResponseWriter, _ *http.Request) {
			for i := range 200 {
				w.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("x", 1024))
			}
			answerText(w, 200, "application/json", goodVersion)
		}, protocol...)
		_, err := connect(t, p, loopback()).Version(t.Context())
		NewWithT(t).Expect(Classify(err).Kind).To(BeElementOf(NotAKubernetesAPI, ConnectionLost))
	}
}

func TestServersThatHang(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	pair, _, _ := ca.issue(t, nil)
	hang := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	secure := func(serve func(*tls.Conn)) func(net.Conn) {
		return func(conn net.Conn) {
			server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
			if server.HandshakeContext(t.Context()) == nil {
				serve(server)
			}
		}
	}
	tlsHasty, headerHasty, requestHasty := loopback(), loopback(), loopback()
	tlsHasty.TLSTimeout, headerHasty.HeaderTimeout, requestHasty.RequestTimeout = short, short, short
	for name, test := range map[string]struct {
		policy Policy
		serve  func(net.Conn)
	}{
		"accepts and hangs":          {tlsHasty, hang},
		"accepts and hangs, request": {requestHasty, hang},
		"hangs after TLS, header":    {headerHasty, secure(func(conn *tls.Conn) { hang(conn) })},
		"hangs after TLS, request":   {requestHasty, secure(func(conn *tls.Conn) { hang(conn) })},
		"hangs in the body": {requestHasty, secure(func(conn *tls.Conn) {
			sayAndHang(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		})},
		"hangs in the header": {headerHasty, secure(func(conn *tls.Conn) { sayAndHang(conn, "HTTP/1.1 200 OK\r\nContent-") })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ep := kubeconfig.Endpoint{Server: "https://" + listenRaw(t, test.serve), CAData: ca.pem}
			conn, err := newPool(t, test.policy).Connect(edge("edge-1"), ep, bearer())
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			expectFailure(t, getSecret(t, conn), ConnectionTimedOut)
		})
	}
}

// sayAndHang waits for a request, answers it and then hangs.
func sayAndHang(conn net.Conn, text string) {
	_, _ = conn.Read(make([]byte, 1))
	_, _ = io.WriteString(conn, text)
	_, _ = io.Copy(io.Discard, conn)
}

func TestSlowDrip(t *testing.T) {
	t.Parallel()
	policy := loopback()
	policy.RequestTimeout = short
	for _, protocol := range [][]planeOption{nil, {withHTTP1()}} {
		p := startPlane(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-r.Context().Done():
					return
				case <-tick.C:
					_, _ = io.WriteString(w, " ")
					_ = http.NewResponseController(w).Flush()
				}
			}
		}, protocol...)
		expectFailure(t, getSecret(t, connect(t, p, policy)), ConnectionTimedOut)
	}
}

func TestServersThatSpeakNoHTTP(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	pair, _, _ := ca.issue(t, nil)
	ssh := listenRaw(t, func(conn net.Conn) { sayAndHang(conn, "SSH-2.0-"+gossip+"\r\n") })
	gone := listenRaw(t, func(net.Conn) {})
	smtp := listenRaw(t, func(conn net.Conn) {
		server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
		sayAndHang(server, "220 "+gossip+"\r\n")
	})
	hangsUp := listenRaw(t, func(conn net.Conn) {
		server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
		_, _ = server.Read(make([]byte, 1))
		_ = server.Close()
	})
	for address, kind := range map[string]Kind{ssh: TLSFailed, gone: TLSFailed, smtp: NotAKubernetesAPI, hangsUp: ConnectionLost} {
		ep := kubeconfig.Endpoint{Server: "https://" + address, CAData: ca.pem}
		conn, err := newPool(t, loopback()).Connect(edge("edge-1"), ep, bearer())
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		expectFailure(t, getSecret(t, conn), kind)
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	expired := withCertificate(func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	early := withCertificate(func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) })
	otherName := withCertificate(func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = []string{gossip + ".example"}, nil })
	wrongUse := withCertificate(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} })
	for name, test := range map[string]struct {
		option planeOption
		change func(*kubeconfig.Endpoint)
		want   Kind
	}{
		"good":            {nil, nil, None},
		"wrong CA":        {nil, func(ep *kubeconfig.Endpoint) { ep.CAData = newAuthority(t).pem }, TLSUntrusted},
		"system CAs":      {nil, func(ep *kubeconfig.Endpoint) { ep.CAData = nil }, TLSUntrusted},
		"expired":         {expired, nil, TLSExpired},
		"not yet valid":   {early, nil, TLSExpired},
		"other name":      {otherName, nil, TLSNameMismatch},
		"other use":       {wrongUse, nil, TLSUntrusted},
		"server name":     {nil, func(ep *kubeconfig.Endpoint) { ep.TLSServerName = "plane.example" }, None},
		"bad server name": {nil, func(ep *kubeconfig.Endpoint) { ep.TLSServerName = "edge.example" }, TLSNameMismatch},
		"right by name":   {otherName, func(ep *kubeconfig.Endpoint) { ep.TLSServerName = gossip + ".example" }, None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			option := test.option
			if option == nil {
				option = withCertificate(nil)
			}
			p := startPlane(t, fixed(200, "application/json", goodVersion), option)
			ep := p.endpoint()
			if test.change != nil {
				test.change(&ep)
			}
			err := reach(t, loopback(), ep)
			if test.want == None {
				NewWithT(t).Expect(err).NotTo(HaveOccurred())
				return
			}
			expectFailure(t, err, test.want)
			NewWithT(t).Expect(p.served.Load()).To(BeZero())
		})
	}
}

func TestInsecureIfAllowed(t *testing.T) {
	t.Parallel()
	p := startPlane(t, fixed(200, "application/json", goodVersion))
	policy := loopback()
	policy.AllowInsecure = true
	NewWithT(t).Expect(reach(t, policy, kubeconfig.Endpoint{Server: p.URL, Insecure: true})).To(Succeed())
}

func TestOldTLSIsRefused(t *testing.T) {
	t.Parallel()
	p := startPlane(t, fixed(200, "application/json", goodVersion), func(_ *testing.T, p *plane) {
		p.TLS.MinVersion, p.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	})
	expectFailure(t, reach(t, loopback(), p.endpoint()), TLSFailed)
}

func TestCredentialsAreSent(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	ca := newAuthority(t)
	_, certPEM, keyPEM := ca.issue(t, func(c *x509.Certificate) { c.Subject.CommonName = "admin" })
	p := startPlane(t, fixed(200, "application/json", goodVersion), func(_ *testing.T, p *plane) {
		p.TLS.ClientAuth = tls.VerifyClientCertIfGiven
		p.TLS.ClientCAs = ca.pool()
	})
	pool := newPool(t, loopback(), WithUserAgent(UserAgent("1.2.3", "test")))
	present := func(cred kubeconfig.Credential) *http.Request {
		conn, err := pool.Connect(edge("edge-1"), p.endpoint(), cred)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = conn.Version(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		return p.lastRequest(t)
	}
	token := present(bearer())
	g.Expect(token.Header["Authorization"]).To(Equal([]string{"Bearer " + canary}))
	g.Expect(token.Header["User-Agent"]).To(Equal([]string{"ccluster-go/1.2.3 (test)"}))
	g.Expect(token.Header["Accept"]).To(Equal([]string{"application/json"}))
	g.Expect(token.TLS.PeerCertificates).To(BeEmpty())

	user, password, ok := present(kubeconfig.Credential{Username: "admin", Password: canary}).BasicAuth()
	g.Expect([]any{user, password, ok}).To(Equal([]any{"admin", canary, true}))

	certificate := present(kubeconfig.Credential{ClientCertificateData: certPEM, ClientKeyData: keyPEM})
	g.Expect(certificate.Header).NotTo(HaveKey("Authorization"))
	g.Expect(certificate.TLS.PeerCertificates).To(HaveLen(1))
	g.Expect(certificate.TLS.PeerCertificates[0].Subject.CommonName).To(Equal("admin"))
}

func TestRefusedClientCertificate(t *testing.T) {
	t.Parallel()
	_, certPEM, keyPEM := newAuthority(t).issue(t, nil)
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		p := startPlane(t, fixed(200, "application/json", goodVersion), func(_ *testing.T, p *plane) {
			p.TLS.ClientAuth = tls.RequireAndVerifyClientCert
			p.TLS.ClientCAs = p.ca.pool()
			p.TLS.MaxVersion = version
		})
		conn, err := newPool(t, loopback()).Connect(edge("edge-1"), p.endpoint(),
			kubeconfig.Credential{ClientCertificateData: certPEM, ClientKeyData: keyPEM})
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		_, err = conn.Version(t.Context())
		// A server may close before its alert is read.
		NewWithT(t).Expect(Classify(err).Kind).To(BeElementOf(TLSFailed, ConnectionLost))
	}
}

func TestCallersIdentityHeadersAreDropped(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", goodVersion))
	conn := connect(t, p, loopback())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/version", http.NoBody)
	g.Expect(err).NotTo(HaveOccurred())
	req.Header = http.Header{
		"Authorization": {"Bearer other"}, "Cookie": {"a=b"}, "Impersonate-User": {"root"}, "Impersonate-Extra-X": {"y"},
		"Accept": {"application/vnd.kubernetes.protobuf,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/cbor"},
	}
	req.Host = "other.example"
	got, err := conn.HTTPClient().Do(req)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Body.Close()).To(Succeed())
	seen := p.lastRequest(t)
	g.Expect(seen.Header).To(Equal(http.Header{
		"Authorization": {"Bearer " + canary},
		"User-Agent":    {"ccluster-go/dev (registration)"},
		"Accept":        {"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
	}))
	g.Expect(seen.Host).To(Equal(p.Listener.Addr().String()))
}

func TestOtherServersAreRefused(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", goodVersion))
	other := startPlane(t, fixed(200, "application/json", goodVersion))
	conn := connect(t, p, loopback())
	for _, target := range []string{other.URL, strings.Replace(p.URL, "https", "http", 1), "https://" + gossip + "@" + p.Listener.Addr().String()} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target+"/version", http.NoBody)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = conn.RoundTrip(req) //nolint:bodyclose // There is none.
		expectFailure(t, err, AddressDenied)
	}
	g.Expect(other.accepted.Load() + p.accepted.Load()).To(BeZero())
}

// crowd is a server that keeps requests until it is told to answer.
type crowd struct {
	release  chan struct{}
	inside   atomic.Int64
	mostEver atomic.Int64
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := c.inside.Add(1)
	defer c.inside.Add(-1)
	for {
		most := c.mostEver.Load()
		if now <= most || c.mostEver.CompareAndSwap(most, now) {
			break
		}
	}
	select {
	case <-c.release:
	case <-r.Context().Done():
	}
	answerText(w, 200, "application/json", goodVersion)
}

func TestInFlightBound(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	c := &crowd{release: make(chan struct{})}
	p := startPlane(t, c.ServeHTTP)
	pool := newPool(t, loopback())
	pooled, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	fresh, err := pool.Fresh(edge("edge-1"), p.endpoint(), bearer()) // Counts as the same plane.
	g.Expect(err).NotTo(HaveOccurred())
	defer fresh.Close()

	const each = 4
	errs := make(chan error, 2*each)
	for range each {
		for _, conn := range []*Conn{pooled, fresh} {
			go func() {
				_, err := conn.Version(t.Context())
				errs <- err
			}()
		}
	}
	g.Eventually(c.inside.Load).WithTimeout(20 * time.Second).Should(Equal(int64(2)))
	g.Consistently(c.inside.Load, "200ms").Should(Equal(int64(2)))

	// Waiting honours the context.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = pooled.Version(ctx)
	expectFailure(t, err, Canceled)

	close(c.release)
	for range 2 * each {
		g.Expect(<-errs).NotTo(HaveOccurred())
	}
	g.Expect(c.mostEver.Load()).To(Equal(int64(2)))
}

func TestWaitingForATurnIsBounded(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	c := &crowd{release: make(chan struct{})}
	p := startPlane(t, c.ServeHTTP)
	policy := loopback()
	policy.MaxInFlight = 1
	pool := newPool(t, policy)
	conn, err := pool.Connect(edge("edge-1"), p.endpoint(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	first := make(chan error, 1)
	go func() {
		_, err := conn.Version(t.Context())
		first <- err
	}()
	g.Eventually(c.inside.Load).WithTimeout(20 * time.Second).Should(Equal(int64(1)))
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	_, err = conn.Version(ctx)
	expectFailure(t, err, ConnectionTimedOut)
	g.Expect(p.served.Load()).To(Equal(int64(1)))

	// Another plane is not held up.
	quick := startPlane(t, fixed(200, "application/json", goodVersion))
	other, err := pool.Connect(edge("edge-2"), quick.endpoint(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	_, err = other.Version(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	close(c.release)
	g.Expect(<-first).NotTo(HaveOccurred())
}

func TestCancel(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	c := &crowd{release: make(chan struct{})}
	defer close(c.release)
	p := startPlane(t, c.ServeHTTP)
	conn := connect(t, p, loopback())
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- conn.Client().Get(ctx, client.ObjectKey{Name: "a"}, &corev1.Namespace{}) }()
	g.Eventually(c.inside.Load).WithTimeout(20 * time.Second).Should(Equal(int64(1)))
	cancel()
	err := <-result
	expectFailure(t, err, Canceled)
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(conn.Client().Get(ctx, client.ObjectKey{Name: "a"}, &corev1.Namespace{})).To(MatchError(context.Canceled))
}

// cutter passes TCP connections on, and can drop all of them at once.
type cutter struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

func startCutter(t *testing.T, to string) (*cutter, string) {
	t.Helper()
	c := &cutter{}
	return c, listenRaw(t, func(conn net.Conn) {
		upstream, err := dialTest(t, to)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.conns = append(c.conns, conn, upstream)
		c.mu.Unlock()
		splice(conn, upstream)
	})
}

// The server ends the kept connection just when a request was sent over it.
func TestKeptConnectionThatDies(t *testing.T) {
	t.Parallel()
	for _, protocol := range [][]planeOption{nil, {withHTTP1()}} {
		g := NewWithT(t)
		var middle *cutter
		var cutting atomic.Bool
		p := startPlane(t, func(w http.ResponseWriter, r *http.Request) {
			if cutting.CompareAndSwap(true, false) {
				_, _ = io.Copy(io.Discard, r.Body) // Or HTTP/1.1 would not notice.
				middle.cut()
				<-r.Context().Done()
				return
			}
			body := objectFor(r)
			answerText(w, 200, "application/json", body)
		}, protocol...)
		var address string
		middle, address = startCutter(t, p.Listener.Addr().String())
		ep := p.endpoint()
		ep.Server = "https://" + address
		conn, err := newPool(t, loopback()).Connect(edge("edge-1"), ep, bearer())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(getSecret(t, conn)).To(Succeed())

		// A read, or a review, is repeated once.
		cutting.Store(true)
		g.Expect(getSecret(t, conn)).To(Succeed())
		g.Expect(p.served.Load()).To(Equal(int64(3)))
		cutting.Store(true)
		_, err = conn.WhoAmI(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(p.served.Load()).To(Equal(int64(5)))

		// A write is not: it may have happened.
		cutting.Store(true)
		secret := &corev1.Secret{}
		secret.Namespace, secret.Name = "a", "b"
		expectFailure(t, conn.Client().Create(t.Context(), secret), ConnectionLost)
		g.Expect(p.served.Load()).To(Equal(int64(6)))
	}
}

// objectFor is what a well-behaved server answers to the requests of these tests.
func objectFor(r *http.Request) string {
	switch {
	case strings.HasSuffix(r.URL.Path, "/selfsubjectreviews"):
		return `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":"system:serviceaccount:kube-system:ccluster-manager","uid":"u-1","groups":["system:authenticated"]}}}`
	case strings.Contains(r.URL.Path, "/secrets"):
		return `{"kind":"Secret","apiVersion":"v1","metadata":{"namespace":"a","name":"b"}}`
	case r.URL.Path == "/version":
		return goodVersion
	}
	return goodNamespace
}

// A dead connection that is not kept is no reason to try again.
func TestFirstConnectionThatDies(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var dials atomic.Int64
	ca := newAuthority(t)
	pair, _, _ := ca.issue(t, nil)
	address := listenRaw(t, func(conn net.Conn) {
		dials.Add(1)
		server := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
		_, _ = server.Read(make([]byte, 1))
	})
	conn, err := newPool(t, loopback()).Connect(edge("edge-1"), kubeconfig.Endpoint{Server: "https://" + address, CAData: ca.pem}, bearer())
	g.Expect(err).NotTo(HaveOccurred())
	expectFailure(t, getSecret(t, conn), ConnectionLost)
	g.Expect(dials.Load()).To(Equal(int64(1)))
}

func TestObserver(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var mu sync.Mutex
	var seen []string
	observer := WithObserver(func(op string, seconds float64, kind Kind) {
		mu.Lock()
		defer mu.Unlock()
		g.Expect(seconds).To(BeNumerically(">=", 0))
		seen = append(seen, op+"="+string(kind))
	})
	p := startPlane(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			answerText(w, 401, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized"}`)
			return
		}
		body := objectFor(r)
		answerText(w, 200, "application/json", body)
	})
	conn, err := newPool(t, loopback(), observer).Connect(edge("edge-1"), p.endpoint(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(getSecret(t, conn)).To(Succeed())
	_, err = conn.Version(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = "a", "b"
	expectFailure(t, conn.Client().Delete(t.Context(), secret), Unauthorized)
	expectFailure(t, conn.Client().List(t.Context(), &corev1.PodList{}), NotAKubernetesAPI)
	g.Expect(seen).To(Equal([]string{"get secrets=", "get version=", "delete secrets=Unauthorized", "list pods=NotAKubernetesAPI"}))
}
