// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
)

// echoing answers with all that it was shown.
func echoing(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		shown := req.Header.Get("Authorization")
		w.Header().Set("X-Shown", shown)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":"Forbidden","message":%q,"details":{"name":%q}}`, code, shown, shown) //nolint:gosec // it is hostile
	}
}

func endless(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	line := strings.Repeat(" ", 1<<16)
	for req.Context().Err() == nil {
		if _, err := io.WriteString(w, line); err != nil {
			return
		}
	}
}

func dripping(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	drops := time.NewTicker(50 * time.Millisecond)
	defer drops.Stop()
	for {
		if _, err := io.WriteString(w, " "); err != nil {
			return
		}
		http.NewResponseController(w).Flush() //nolint:errcheck // the next write tells
		select {
		case <-req.Context().Done():
			return
		case <-drops.C:
		}
	}
}

func hangingUp(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"major":`)
	panic(http.ErrAbortHandler)
}

// lying has a version, and another UID than a UID can be.
func lying(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if req.URL.Path == "/version" {
		_, _ = io.WriteString(w, `{"major":"1","minor":"37","gitVersion":"v1.37.2"}`)
		return
	}
	_, _ = fmt.Fprintf(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"\u001b[31m%s"}}`, strings.Repeat("x", 1<<20))
}

// agreeing has a version, and nothing but success for the rest.
func agreeing(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if req.URL.Path == "/version" {
		_, _ = io.WriteString(w, `{"major":"1","minor":"37","gitVersion":"v1.37.2"}`)
		return
	}
	_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
}

// withoutTLS is a kubeconfig of a server that speaks HTTP where HTTPS is expected.
func withoutTLS() []byte {
	GinkgoHelper()
	server := httptest.NewServer(http.NotFoundHandler())
	DeferCleanup(server.Close)
	return kubeconfigOf(&rest.Config{Host: strings.Replace(server.URL, "http:", "https:", 1), BearerToken: stubToken, TLSClientConfig: rest.TLSClientConfig{CAData: infra.CAData()}})
}

// expired is a kubeconfig of a server whose certificate has expired.
func expired() []byte {
	GinkgoHelper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	Expect(err).NotTo(HaveOccurred())
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
	server.StartTLS()
	DeferCleanup(server.Close)
	return kubeconfigOf(&rest.Config{
		Host: server.URL, BearerToken: stubToken,
		TLSClientConfig: rest.TLSClientConfig{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})},
	})
}

var _ = Describe("The page about hostile planes", func() {
	It("lists every failure that is tested, with the condition and reason that it has", func() {
		content, err := os.ReadFile("../../../docs/hostile-planes.md")
		Expect(err).NotTo(HaveOccurred())
		var listed []string
		for line := range strings.Lines(string(content)) {
			if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) > 4 && strings.HasPrefix(strings.TrimSpace(cells[2]), "`") {
				listed = append(listed, strings.Join([]string{strings.TrimSpace(cells[1]), strings.Trim(cells[2], " `"), strings.Trim(cells[3], " `")}, ", "))
			}
		}
		var tested []string
		for _, f := range slices.Concat(failures, planeFailures) {
			condition := f.condition
			if condition == "" {
				condition = "Authorized"
			}
			tested = append(tested, strings.Join([]string{f.name, condition, f.reason}, ", "))
		}
		Expect(listed).To(ConsistOf(tested))
	})
})
