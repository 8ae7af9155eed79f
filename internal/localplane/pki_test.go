// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func parse(t *testing.T, data []byte) *x509.Certificate {
	t.Helper()
	g := NewWithT(t)
	block, rest := pem.Decode(data)
	g.Expect(block).NotTo(BeNil())
	g.Expect(rest).To(BeEmpty())
	certificate, err := x509.ParseCertificate(block.Bytes)
	g.Expect(err).NotTo(HaveOccurred())
	return certificate
}

func TestServingCertificate(t *testing.T) {
	g := NewWithT(t)
	ca, err := newAuthority("ca")
	g.Expect(err).NotTo(HaveOccurred())
	other, err := newAuthority("ca")
	g.Expect(err).NotTo(HaveOccurred())
	pair, err := ca.serving([]string{"localhost"}, []net.IP{net.ParseIP("127.0.0.1")})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = tls.X509KeyPair(pair.cert, pair.key)
	g.Expect(err).NotTo(HaveOccurred())

	certificate := parse(t, pair.cert)
	verify := func(roots []byte, name string, usage x509.ExtKeyUsage) error {
		pool := x509.NewCertPool()
		g.Expect(pool.AppendCertsFromPEM(roots)).To(BeTrue())
		_, err := certificate.Verify(x509.VerifyOptions{Roots: pool, DNSName: name, KeyUsages: []x509.ExtKeyUsage{usage}})
		return err
	}
	g.Expect(verify(ca.cert, "localhost", x509.ExtKeyUsageServerAuth)).To(Succeed())
	g.Expect(verify(ca.cert, "127.0.0.1", x509.ExtKeyUsageServerAuth)).To(Succeed())
	g.Expect(verify(ca.cert, "example.com", x509.ExtKeyUsageServerAuth)).NotTo(Succeed())
	g.Expect(verify(ca.cert, "localhost", x509.ExtKeyUsageClientAuth)).NotTo(Succeed())
	g.Expect(verify(other.cert, "localhost", x509.ExtKeyUsageServerAuth)).NotTo(Succeed())
	g.Expect(certificate.NotAfter.Sub(certificate.NotBefore)).To(Equal(certificateLife + clockSkew))
	g.Expect(certificate.NotAfter.Location()).To(Equal(time.UTC))
}

func TestClientCertificateNamesTheUser(t *testing.T) {
	g := NewWithT(t)
	ca, err := newAuthority("ca")
	g.Expect(err).NotTo(HaveOccurred())
	pair, err := ca.client("jane", []string{"ops", "dev"})
	g.Expect(err).NotTo(HaveOccurred())
	certificate := parse(t, pair.cert)
	g.Expect(certificate.Subject.CommonName).To(Equal("jane"))
	g.Expect(certificate.Subject.Organization).To(ConsistOf("ops", "dev"))
	g.Expect(certificate.ExtKeyUsage).To(Equal([]x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}))
	g.Expect(certificate.IsCA).To(BeFalse())
}

func TestSigningKeyHalvesMatch(t *testing.T) {
	g := NewWithT(t)
	private, public, err := newSigningKey()
	g.Expect(err).NotTo(HaveOccurred())
	privateBlock, _ := pem.Decode(private)
	publicBlock, _ := pem.Decode(public)
	key, err := x509.ParsePKCS8PrivateKey(privateBlock.Bytes)
	g.Expect(err).NotTo(HaveOccurred())
	verifier, err := x509.ParsePKIXPublicKey(publicBlock.Bytes)
	g.Expect(err).NotTo(HaveOccurred())
	signer, ok := key.(*ecdsa.PrivateKey)
	g.Expect(ok).To(BeTrue())
	g.Expect(signer.PublicKey.Equal(verifier)).To(BeTrue())
}
