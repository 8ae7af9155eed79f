// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

func TestConnectChecksWithoutIO(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	_, certPEM, keyPEM := ca.issue(t, nil)
	_, otherCert, _ := ca.issue(t, nil)
	server := kubeconfig.Endpoint{Server: "https://203.0.113.7:6443/prefix/"}
	at := func(url string) kubeconfig.Endpoint { return kubeconfig.Endpoint{Server: url} }
	for name, test := range map[string]struct {
		ep   kubeconfig.Endpoint
		cred kubeconfig.Credential
		want Kind
	}{
		"token":                {server, bearer(), None},
		"certificate":          {server, kubeconfig.Credential{ClientCertificateData: certPEM, ClientKeyData: keyPEM}, None},
		"password":             {server, kubeconfig.Credential{Username: "admin", Password: canary}, None},
		"name":                 {at("https://plane.example"), bearer(), None},
		"no credential":        {server, kubeconfig.Credential{}, InvalidConfig},
		"two credentials":      {server, kubeconfig.Credential{BearerToken: canary, Username: "admin"}, InvalidConfig},
		"token with newline":   {server, kubeconfig.Credential{BearerToken: canary + "\n"}, InvalidConfig},
		"token not ASCII":      {server, kubeconfig.Credential{BearerToken: canary + "é"}, InvalidConfig},
		"key of another":       {server, kubeconfig.Credential{ClientCertificateData: otherCert, ClientKeyData: keyPEM}, InvalidConfig},
		"key missing":          {server, kubeconfig.Credential{ClientCertificateData: certPEM}, InvalidConfig},
		"key is no PEM":        {server, kubeconfig.Credential{ClientCertificateData: certPEM, ClientKeyData: []byte(canary)}, InvalidConfig},
		"CA is no PEM":         {kubeconfig.Endpoint{Server: server.Server, CAData: []byte(canary)}, bearer(), InvalidConfig},
		"http":                 {at("http://203.0.113.7"), bearer(), InvalidConfig},
		"no scheme":            {at("203.0.113.7:6443"), bearer(), InvalidConfig},
		"no host":              {at("https://:6443"), bearer(), InvalidConfig},
		"userinfo":             {at("https://" + canary + "@203.0.113.7"), bearer(), InvalidConfig},
		"query":                {at("https://203.0.113.7/?" + canary), bearer(), InvalidConfig},
		"not a URL":            {at("https://203.0.113.7/%zz" + canary), bearer(), InvalidConfig},
		"port out of range":    {at("https://203.0.113.7:70000"), bearer(), InvalidConfig},
		"wide characters":      {at("https://kubernetes。default。svc"), bearer(), InvalidConfig},
		"loopback":             {at("https://127.0.0.1:6443"), bearer(), AddressDenied},
		"mapped loopback":      {at("https://[::ffff:127.0.0.1]:6443"), bearer(), AddressDenied},
		"in-cluster":           {at("https://Kubernetes.Default.SVC."), bearer(), AddressDenied},
		"insecure":             {kubeconfig.Endpoint{Server: server.Server, Insecure: true}, bearer(), InsecureNotAllowed},
		"insecure with a CA":   {kubeconfig.Endpoint{Server: server.Server, Insecure: true, CAData: ca.pem}, bearer(), InvalidConfig},
		"proxy":                {kubeconfig.Endpoint{Server: server.Server, ProxyURL: "http://203.0.113.9:3128"}, bearer(), ProxyNotAllowed},
		"loopback and a proxy": {kubeconfig.Endpoint{Server: "https://127.0.0.1", ProxyURL: "http://203.0.113.9"}, bearer(), AddressDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := newPool(t, DefaultPolicy(), WithResolver(&resolver{}))
			conn, err := pool.Connect(edge("edge-1"), test.ep, test.cred)
			fresh, freshErr := pool.Fresh(edge("edge-1"), test.ep, test.cred)
			if test.want != None {
				g := NewWithT(t)
				g.Expect(conn).To(BeNil())
				g.Expect(fresh).To(BeNil())
				g.Expect(pool.Len()).To(Equal(0))
				expectFailure(t, err, test.want)
				expectFailure(t, freshErr, test.want)
				return
			}
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			NewWithT(t).Expect(freshErr).NotTo(HaveOccurred())
			fresh.Close()
		})
	}
}

func TestProxyURLForms(t *testing.T) {
	t.Parallel()
	policy := Policy{AllowProxy: true}.withDefaults()
	for text, want := range map[string]string{
		"http://proxy.example":         "proxy.example:80",
		"https://proxy.example":        "proxy.example:443",
		"socks5://proxy.example":       "proxy.example:1080",
		"http://[2001:db8::1]:3128":    "[2001:db8::1]:3128",
		"ftp://proxy.example":          "",
		"socks5h://proxy.example":      "",
		"http://":                      "",
		"http://user:pw@proxy.example": "",
		"proxy.example:3128":           "",
	} {
		proxy, kind := proxyURL(&policy, text)
		if want == "" {
			NewWithT(t).Expect(kind).To(Equal(InvalidConfig), text)
			continue
		}
		NewWithT(t).Expect(kind).To(Equal(None), text)
		NewWithT(t).Expect(proxyAddress(proxy)).To(Equal(want), text)
	}
}
