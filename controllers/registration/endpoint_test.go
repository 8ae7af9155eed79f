// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

func newCA(t *testing.T) []byte {
	t.Helper()
	g := NewWithT(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	g.Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	g.Expect(err).NotTo(HaveOccurred())
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestResolveEndpoint(t *testing.T) {
	theirs, ours := newCA(t), newCA(t)
	base := kubeconfig.Endpoint{
		Server: "https://edge-1.example:6443", CAData: theirs, TLSServerName: "edge-1.internal", ProxyURL: "http://proxy.example",
	}
	with := func(change func(*kubeconfig.Endpoint)) kubeconfig.Endpoint {
		ep := base
		change(&ep)
		return ep
	}
	insecure := with(func(ep *kubeconfig.Endpoint) { ep.CAData, ep.Insecure = nil, true })
	invalid := func(reason, message string) *problem { return &problem{reason: reason, message: message} }
	const inCluster = "The in-cluster address must not be registered with a credential: use `spec.inCluster`"

	for name, test := range map[string]struct {
		base    kubeconfig.Endpoint
		spec    *v1alpha1.Endpoint
		options Options
		want    kubeconfig.Endpoint
		err     *problem
		// says is part of a message whose rest is the parser's.
		says string
	}{
		"no spec":       {base: base, want: base},
		"an empty spec": {base: base, spec: &v1alpha1.Endpoint{}, want: base},
		"empty texts":   {base: base, spec: &v1alpha1.Endpoint{TLSServerName: new(""), ProxyURL: new("")}, want: base},
		"a server": {
			base: base, spec: &v1alpha1.Endpoint{Server: "https://EDGE-1.public.example:443/"},
			want: with(func(ep *kubeconfig.Endpoint) { ep.Server = "https://edge-1.public.example" }),
		},
		"a CA": {
			base: base, spec: &v1alpha1.Endpoint{CABundle: ours},
			want: with(func(ep *kubeconfig.Endpoint) { ep.CAData = ours }),
		},
		"a CA for an insecure kubeconfig": {
			base: insecure, spec: &v1alpha1.Endpoint{CABundle: ours},
			want: with(func(ep *kubeconfig.Endpoint) { ep.CAData = ours }),
		},
		"an insecure kubeconfig": {base: insecure, spec: &v1alpha1.Endpoint{}, want: insecure},
		"a name": {
			base: base, spec: &v1alpha1.Endpoint{TLSServerName: new("Kubernetes.Example")},
			want: with(func(ep *kubeconfig.Endpoint) { ep.TLSServerName = "kubernetes.example" }),
		},
		"a proxy": {
			base: base, spec: &v1alpha1.Endpoint{ProxyURL: new("socks5://Other.example:1080")}, options: Options{AllowProxy: true},
			want: with(func(ep *kubeconfig.Endpoint) { ep.ProxyURL = "socks5://other.example" }),
		},
		"everything": {
			base: base, options: Options{AllowProxy: true},
			spec: &v1alpha1.Endpoint{Server: "https://10.0.0.1", CABundle: ours, TLSServerName: new("a.example"), ProxyURL: new("http://b.example")},
			want: kubeconfig.Endpoint{Server: "https://10.0.0.1", CAData: ours, TLSServerName: "a.example", ProxyURL: "http://b.example"},
		},
		"a bad server": {base: base, spec: &v1alpha1.Endpoint{Server: "http://" + canary}, says: "`spec.endpoint.server`: server must begin with https://"},
		"a bad CA":     {base: base, spec: &v1alpha1.Endpoint{CABundle: []byte(canary)}, says: "`spec.endpoint.caBundle`: "},
		"a bad name":   {base: base, spec: &v1alpha1.Endpoint{TLSServerName: new("https://" + canary)}, says: "`spec.endpoint.tlsServerName`: "},
		"a bad proxy": {
			base: base, spec: &v1alpha1.Endpoint{ProxyURL: new("http://u:" + canary + "@proxy.example")}, options: Options{AllowProxy: true},
			says: "`spec.endpoint.proxyURL`: ",
		},
		"a proxy that is not allowed": {
			base: base, spec: &v1alpha1.Endpoint{ProxyURL: new("http://proxy.example")},
			err: invalid("ReferenceNotPermitted", "`spec.endpoint.proxyURL` needs the manager's --allow-proxy: remove it or ask who runs the manager"),
		},
		"the own cluster": {
			base: base, spec: &v1alpha1.Endpoint{Server: "https://kubernetes.default.svc:443"},
			err: invalid("ReferenceNotPermitted", inCluster),
		},
		"the own cluster, by the kubeconfig": {
			base: kubeconfig.Endpoint{Server: "https://kubernetes.default.svc.cluster.local"},
			err:  invalid("ReferenceNotPermitted", inCluster),
		},
		"away from the own cluster": {
			base: kubeconfig.Endpoint{Server: "https://kubernetes.default.svc"}, spec: &v1alpha1.Endpoint{Server: "https://edge-1.example"},
			want: kubeconfig.Endpoint{Server: "https://edge-1.example"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got, err := resolveEndpoint(test.base, test.spec, test.options)
			switch {
			case test.err != nil:
				g.Expect(err).To(Equal(test.err))
			case test.says != "":
				p, ok := errors.AsType[*problem](err)
				g.Expect(ok).To(BeTrue())
				g.Expect(p.reason).To(Equal("InvalidSpec"))
				g.Expect(err).To(MatchError(HavePrefix(test.says)))
				g.Expect(err).NotTo(MatchError(ContainSubstring(canary)))
			default:
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(got.Insecure).To(Equal(test.want.Insecure))
				g.Expect(string(got.CAData)).To(Equal(string(canonicalCA(t, test.want.CAData))))
				got.CAData, test.want.CAData = nil, nil
				g.Expect(got).To(Equal(test.want))
			}
		})
	}
}

func canonicalCA(t *testing.T, ca []byte) []byte {
	t.Helper()
	if len(ca) == 0 {
		return nil
	}
	canonical, err := kubeconfig.CanonicalCA(ca)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return canonical
}

func TestResolveEndpointCopiesTheCA(t *testing.T) {
	g := NewWithT(t)
	base := kubeconfig.Endpoint{Server: "https://edge-1.example", CAData: []byte("abc")}
	got, err := resolveEndpoint(base, nil, Options{})
	g.Expect(err).NotTo(HaveOccurred())
	got.CAData[0] = 'x'
	g.Expect(string(base.CAData)).To(Equal("abc"))
}
