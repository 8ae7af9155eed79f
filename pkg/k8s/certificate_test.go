// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// clientCertificate is one for a user, signed by itself, with its key.
func clientCertificate(t *testing.T, user string) (certificate, key []byte) {
	t.Helper()
	g := NewWithT(t)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	g.Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: user}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	g.Expect(err).NotTo(HaveOccurred())
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	g.Expect(err).NotTo(HaveOccurred())
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// The files are named relative to the kubeconfig that names them.
func TestUsersWithACertificate(t *testing.T) {
	outside(t)
	var user string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user = ""
		if len(r.TLS.PeerCertificates) > 0 {
			user = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"y"}}`))
	}))
	s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	s.StartTLS()
	t.Cleanup(s.Close)

	dir := t.TempDir()
	write := func(name string, data []byte) {
		NewWithT(t).Expect(os.WriteFile(filepath.Join(dir, name), data, 0o600)).To(Succeed())
	}
	inFile, keyInFile := clientCertificate(t, "in-a-file")
	inline, keyInline := clientCertificate(t, "inline")
	write("tls.crt", inFile)
	write("tls.key", keyInFile)
	write("ca.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	encode := base64.StdEncoding.EncodeToString
	for want, fields := range map[string]string{
		"in-a-file": "{client-certificate: tls.crt, client-key: tls.key}",
		"inline":    fmt.Sprintf("{client-certificate-data: %s, client-key-data: %s}", encode(inline), encode(keyInline)),
	} {
		t.Run(want, func(t *testing.T) {
			g := NewWithT(t)
			write("config", []byte(strings.Replace(kubeconfig("", fields), `{server: ""}`,
				fmt.Sprintf("{server: %q, certificate-authority: ca.crt}", s.URL), 1)))
			config, err := k8s.FromKubeconfig(filepath.Join(dir, "config"), "")
			g.Expect(err).NotTo(HaveOccurred())
			c, err := k8s.NewClient(config)
			g.Expect(err).NotTo(HaveOccurred())
			_, found, err := c.Get(t.Context(), k8s.Pods, "y")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(BeTrue())
			g.Expect(user).To(Equal(want))
		})
	}
}
