// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// canary is the token of every test: it must never be seen in an error.
const canary = "canary-5be1c3d0-token"

// gossip is what hostile servers say: it must never be seen in an error.
const gossip = "text-of-the-remote-server"

// proxyTrap is what the environment names as proxy, for the whole test binary
// because net/http reads the environment only once.
var proxyTrap atomic.Int64

func TestMain(m *testing.M) {
	trap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		proxyTrap.Add(1)
		w.WriteHeader(http.StatusTeapot)
	}))
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "ALL_PROXY"} {
		if err := os.Setenv(name, trap.URL); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	trap.Close()
	os.Exit(code)
}

// authority signs the certificates of test servers.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	g := NewWithT(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	g.Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	g.Expect(err).NotTo(HaveOccurred())
	certificate, err := x509.ParseCertificate(der)
	g.Expect(err).NotTo(HaveOccurred())
	return &authority{
		certificate: certificate, key: key,
		pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
	}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// issue returns a certificate and its PEM forms. Names default to loopback.
func (a *authority) issue(t *testing.T, change func(*x509.Certificate)) (pair tls.Certificate, certPEM, keyPEM []byte) {
	t.Helper()
	g := NewWithT(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	g.Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "leaf"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"plane.example"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	g.Expect(err).NotTo(HaveOccurred())
	keyDER, err := x509.MarshalECPrivateKey(key)
	g.Expect(err).NotTo(HaveOccurred())
	certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
	pair, err = tls.X509KeyPair(certPEM, keyPEM)
	g.Expect(err).NotTo(HaveOccurred())
	return pair, certPEM, keyPEM
}

// plane is an API server of a test, on loopback.
type plane struct {
	*httptest.Server
	ca       *authority
	accepted atomic.Int64 // TCP connections so far
	open     atomic.Int64 // TCP connections now
	served   atomic.Int64 // requests so far
	mu       sync.Mutex
	requests []*http.Request
}

type planeOption func(t *testing.T, p *plane)

// withCertificate changes the server's certificate.
func withCertificate(change func(*x509.Certificate)) planeOption {
	return func(t *testing.T, p *plane) {
		t.Helper()
		pair, _, _ := p.ca.issue(t, change)
		p.TLS.Certificates = []tls.Certificate{pair}
	}
}

// withHTTP1 turns HTTP/2 off.
func withHTTP1() planeOption {
	return func(_ *testing.T, p *plane) {
		p.EnableHTTP2 = false
		p.TLS.NextProtos = []string{"http/1.1"}
	}
}

func startPlane(t *testing.T, handler http.HandlerFunc, options ...planeOption) *plane {
	t.Helper()
	p := &plane{ca: newAuthority(t)}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.served.Add(1)
		p.mu.Lock()
		p.requests = append(p.requests, r.Clone(r.Context()))
		p.mu.Unlock()
		handler(w, r)
	}))
	pair, _, _ := p.ca.issue(t, nil)
	p.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	p.EnableHTTP2 = true
	p.Config.ErrorLog = quiet()
	p.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			p.accepted.Add(1)
			p.open.Add(1)
		}
		if state == http.StateClosed {
			p.open.Add(-1)
		}
	}
	for _, option := range options {
		option(t, p)
	}
	p.StartTLS()
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (p *plane) endpoint() kubeconfig.Endpoint {
	return kubeconfig.Endpoint{Server: p.URL, CAData: p.ca.pem}
}

// named is the endpoint under a DNS name of its certificate.
func (p *plane) named() kubeconfig.Endpoint {
	ep := p.endpoint()
	ep.Server = strings.Replace(ep.Server, "127.0.0.1", "plane.example", 1)
	return ep
}

func (p *plane) lastRequest(t *testing.T) *http.Request {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	NewWithT(t).Expect(p.requests).NotTo(BeEmpty())
	return p.requests[len(p.requests)-1]
}

func bearer() kubeconfig.Credential { return kubeconfig.Credential{BearerToken: canary} }

// loopback lets tests dial their servers. Its timeouts never run out: a test of
// one of them shortens that one.
func loopback() Policy {
	return Policy{
		Allow:          []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		DialTimeout:    time.Hour,
		TLSTimeout:     time.Hour,
		HeaderTimeout:  time.Hour,
		RequestTimeout: time.Hour,
	}
}

// short is a timeout that is meant to run out.
const short = 100 * time.Millisecond

func newPool(t *testing.T, policy Policy, options ...Option) *Pool {
	t.Helper()
	pool, err := NewPool(policy, options...)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(pool.Close)
	return pool
}

func edge(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "tenant-a", Name: name}
}

// connect is the usual way to a plane: loopback allowed, the canary as token.
func connect(t *testing.T, p *plane, policy Policy) *Conn {
	t.Helper()
	conn, err := newPool(t, policy).Connect(edge("edge-1"), p.endpoint(), bearer())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return conn
}

// expectFailure checks kind and redaction of an error, and returns its failure.
func expectFailure(t *testing.T, err error, kind Kind) Failure {
	t.Helper()
	g := NewWithT(t)
	g.Expect(err).To(HaveOccurred())
	failure := Classify(err)
	g.Expect(failure.Kind).To(Equal(kind), "error: %v", err)
	for _, secret := range []string{canary, gossip} {
		g.Expect(err.Error()).NotTo(ContainSubstring(secret))
		g.Expect(failure.Message()).NotTo(ContainSubstring(secret))
	}
	return failure
}

// answer writes JSON.
func answer(w http.ResponseWriter, code int, object any) {
	body, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	answerText(w, code, "application/json", string(body))
}

// answerText writes a body as it is.
func answerText(w http.ResponseWriter, code int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body))
}

// fixed is a server that always says the same.
func fixed(code int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { answerText(w, code, contentType, body) }
}

const (
	goodVersion   = `{"major":"1","minor":"37","gitVersion":"v1.37.2"}`
	goodNamespace = `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"0b2a7a52-6f8d-4c56-9f0e-2f3a2f5f1a10"}}`
)

// resolver answers lookups from a list, one entry per lookup, the last for good.
type resolver struct {
	mu      sync.Mutex
	lookups int
	answers [][]string
}

func (r *resolver) LookupNetIP(_ context.Context, _, _ string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.answers) == 0 {
		return nil, &net.DNSError{Err: gossip, IsNotFound: true}
	}
	texts := r.answers[min(r.lookups, len(r.answers)-1)]
	r.lookups++
	addrs := make([]netip.Addr, 0, len(texts))
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, nil
}

func (r *resolver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lookups
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
