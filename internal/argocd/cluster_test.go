// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// canary stands for a token; no message and no formatted text may show it.
const canary = "zQ7t0k9-W9xV4Jq"

// newCA is a self-signed certificate in PEM.
func newCA(t *testing.T) []byte {
	t.Helper()
	g := NewWithT(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	g.Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "plane"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	g.Expect(err).NotTo(HaveOccurred())
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// plain is the least that is accepted.
func plain() argocd.Cluster {
	return argocd.Cluster{Server: "https://edge-1.example:6443", Config: argocd.ClusterConfig{BearerToken: canary}}
}

// full has every field set.
func full(t *testing.T) argocd.Cluster {
	t.Helper()
	return argocd.Cluster{
		Name: "team.edge-1", Server: "https://edge-1.example:6443", Project: "ccluster-team",
		Config: argocd.ClusterConfig{
			BearerToken: canary, ProxyURL: "socks5://proxy.example",
			TLSClientConfig: argocd.TLSClientConfig{ServerName: "edge-1.internal", CAData: newCA(t)},
		},
		Namespaces: []string{"a", "b"}, ClusterResources: true,
	}
}

func TestClusterSurvivesTheSecret(t *testing.T) {
	insecure := plain()
	insecure.Config.TLSClientConfig.Insecure = true
	excluded := full(t)
	excluded.ClusterResources = false
	for name, cluster := range map[string]argocd.Cluster{
		"plain": plain(), "full": full(t), "insecure": insecure, "without cluster resources": excluded,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			data, err := cluster.Data()
			g.Expect(err).NotTo(HaveOccurred())
			got, err := argocd.ParseCluster(data)
			g.Expect(err).NotTo(HaveOccurred())
			// As text, since the type hides itself from a failure's message.
			g.Expect(shown(got)).To(Equal(shown(cluster)))
			again, err := got.Data()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(again).To(Equal(data))
		})
	}
}

// shown lists all fields, for comparing.
func shown(c argocd.Cluster) []any {
	return []any{
		c.Name, c.Server, c.Project, c.Namespaces, c.ClusterResources,
		c.Config.BearerToken, c.Config.ProxyURL, c.Config.TLSClientConfig,
	}
}

// Argo CD drops its cache of a cluster when a byte of these changes.
func TestDataIsTheSameBytes(t *testing.T) {
	for name, test := range map[string]struct {
		cluster argocd.Cluster
		want    map[string]string
	}{
		"plain": {plain(), map[string]string{
			"server": "https://edge-1.example:6443",
			"config": `{"bearerToken":"` + canary + `","tlsClientConfig":{"insecure":false}}`,
		}},
		"full": {full(t), map[string]string{
			"name": "team.edge-1", "server": "https://edge-1.example:6443", "project": "ccluster-team",
			"namespaces": "a,b", "clusterResources": "true",
			"config": `{"bearerToken":"` + canary + `","tlsClientConfig":{"insecure":false,"serverName":"edge-1.internal","caData":"CA"},"proxyUrl":"socks5://proxy.example"}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			data, err := test.cluster.Data()
			g.Expect(err).NotTo(HaveOccurred())
			got := map[string]string{}
			for k, v := range data {
				got[k] = string(v)
			}
			if own := test.cluster.Config.TLSClientConfig.CAData; own != nil {
				got["config"] = strings.Replace(got["config"], base64.StdEncoding.EncodeToString(own), "CA", 1)
			}
			g.Expect(got).To(Equal(test.want))
			g.Expect(json.Valid(data["config"])).To(BeTrue())
			for range 20 {
				again, err := test.cluster.Data()
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(again).To(Equal(data))
			}
		})
	}
}

func TestNamespacesAreSorted(t *testing.T) {
	g := NewWithT(t)
	cluster := plain()
	cluster.Namespaces = []string{"c", "a", "b"}
	data, err := cluster.Data()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(data["namespaces"])).To(Equal("a,b,c"))
	g.Expect(string(data["clusterResources"])).To(Equal("false"))
	g.Expect(cluster.Namespaces).To(Equal([]string{"c", "a", "b"}), "the caller's list")
}

func TestClusterResourcesNeedNamespaces(t *testing.T) {
	g := NewWithT(t)
	cluster := plain()
	cluster.ClusterResources = true
	data, err := cluster.Data()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(data).NotTo(HaveKey("clusterResources"))
}

func TestCheck(t *testing.T) {
	ca := newCA(t)
	for name, test := range map[string]struct {
		change func(*argocd.Cluster)
		want   error
	}{
		"fine":             {func(*argocd.Cluster) {}, nil},
		"a path":           {func(c *argocd.Cluster) { c.Server = "https://gateway.example/k8s/edge-1" }, nil},
		"an address":       {func(c *argocd.Cluster) { c.Server = "https://[2001:db8::1]:6443" }, nil},
		"no verification":  {func(c *argocd.Cluster) { c.Config.TLSClientConfig.Insecure = true }, nil},
		"a CA":             {func(c *argocd.Cluster) { c.Config.TLSClientConfig.CAData = ca }, nil},
		"a proxy":          {func(c *argocd.Cluster) { c.Config.ProxyURL = "http://proxy.example:3128" }, nil},
		"no server":        {func(c *argocd.Cluster) { c.Server = "" }, argocd.ErrNoServer},
		"no scheme":        {func(c *argocd.Cluster) { c.Server = "edge-1.example:6443" }, argocd.ErrNoServer},
		"http":             {func(c *argocd.Cluster) { c.Server = "http://edge-1.example" }, argocd.ErrNoServer},
		"a user":           {func(c *argocd.Cluster) { c.Server = "https://" + canary + "@edge-1.example" }, argocd.ErrNoServer},
		"a blank":          {func(c *argocd.Cluster) { c.Server = " https://edge-1.example" }, argocd.ErrNoServer},
		"in-cluster":       {func(c *argocd.Cluster) { c.Server = "https://kubernetes.default.svc" }, argocd.ErrInCluster},
		"in-cluster, long": {func(c *argocd.Cluster) { c.Server = "https://Kubernetes.Default.svc.cluster.local:443/" }, argocd.ErrInCluster},
		"no token":         {func(c *argocd.Cluster) { c.Config.BearerToken = "" }, argocd.ErrNoToken},
		"not PEM":          {func(c *argocd.Cluster) { c.Config.TLSClientConfig.CAData = []byte(canary) }, argocd.ErrCA},
		"a key": {func(c *argocd.Cluster) {
			c.Config.TLSClientConfig.CAData = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte(canary)})
		}, argocd.ErrCA},
		"a CA that is not used": {func(c *argocd.Cluster) {
			c.Config.TLSClientConfig = argocd.TLSClientConfig{Insecure: true, CAData: ca}
		}, argocd.ErrInsecureWithCA},
		"a proxy's password":    {func(c *argocd.Cluster) { c.Config.ProxyURL = "http://user:" + canary + "@proxy.example" }, argocd.ErrProxy},
		"another proxy":         {func(c *argocd.Cluster) { c.Config.ProxyURL = "ftp://" + canary }, argocd.ErrProxy},
		"a proxy with a path":   {func(c *argocd.Cluster) { c.Config.ProxyURL = "http://proxy.example/" + canary }, argocd.ErrProxy},
		"a proxy with a blank ": {func(c *argocd.Cluster) { c.Config.ProxyURL = "http://proxy.example " }, argocd.ErrProxy},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			cluster := plain()
			test.change(&cluster)
			err := cluster.Check()
			data, encodeErr := cluster.Data()
			if test.want == nil {
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(encodeErr).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(test.want))
			g.Expect(err).NotTo(MatchError(ContainSubstring(canary)))
			g.Expect(encodeErr).To(Equal(err))
			g.Expect(data).To(BeNil())
			g.Expect(others(test.want)).NotTo(ContainElement(Satisfy(func(other error) bool { return errors.Is(err, other) })))

			// What cannot be written cannot be read either.
			config, err := json.Marshal(map[string]any{
				"bearerToken": cluster.Config.BearerToken, "proxyUrl": cluster.Config.ProxyURL,
				"tlsClientConfig": cluster.Config.TLSClientConfig,
			})
			g.Expect(err).NotTo(HaveOccurred())
			parsed, err := argocd.ParseCluster(map[string][]byte{"server": []byte(cluster.Server), "config": config})
			g.Expect(err).To(MatchError(test.want))
			g.Expect(err).NotTo(MatchError(ContainSubstring(canary)))
			g.Expect(shown(parsed)).To(Equal(shown(argocd.Cluster{})))
		})
	}
}

func others(err error) []error {
	var list []error
	for _, e := range []error{
		argocd.ErrNoServer, argocd.ErrInCluster, argocd.ErrNoToken, argocd.ErrCA,
		argocd.ErrInsecureWithCA, argocd.ErrConfig, argocd.ErrProxy,
	} {
		if !errors.Is(err, e) {
			list = append(list, e)
		}
	}
	return list
}

// A field that would start a program, or lend Argo CD's own identity, is refused like any
// other that is not on the list.
func TestParseClusterRefusesOtherFields(t *testing.T) {
	for name, config := range map[string]string{
		"execProviderConfig":      `{"bearerToken":"` + canary + `","execProviderConfig":{"command":"/bin/sh","args":["-c","` + canary + `"]}}`,
		"an empty one":            `{"bearerToken":"` + canary + `","execProviderConfig":null}`,
		"awsAuthConfig":           `{"bearerToken":"` + canary + `","awsAuthConfig":{"clusterName":"x","roleARN":"y"}}`,
		"username":                `{"bearerToken":"` + canary + `","username":"` + canary + `"}`,
		"password":                `{"bearerToken":"` + canary + `","password":"` + canary + `"}`,
		"disableCompression":      `{"bearerToken":"` + canary + `","disableCompression":true}`,
		"a client certificate":    `{"bearerToken":"` + canary + `","tlsClientConfig":{"insecure":false,"certData":"YQ==","keyData":"YQ=="}}`,
		"something new":           `{"bearerToken":"` + canary + `","` + canary + `":1}`,
		"another type":            `{"bearerToken":["` + canary + `"]}`,
		"a CA that is not base64": `{"bearerToken":"` + canary + `","tlsClientConfig":{"insecure":false,"caData":"` + canary + `!"}}`,
		"an array":                `["` + canary + `"]`,
		"a text":                  `"` + canary + `"`,
		"a bare token":            canary,
		"nothing":                 ``,
		"an end too few":          `{"bearerToken":"` + canary + `"`,
		"an end too many":         `{"bearerToken":"` + canary + `"}}`,
		"an end of another kind":  `{"bearerToken":"` + canary + `"}]`,
		"two objects":             `{"bearerToken":"` + canary + `"}{"bearerToken":"x"}`,
		"text behind":             `{"bearerToken":"` + canary + `"} ` + canary,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got, err := argocd.ParseCluster(map[string][]byte{"server": []byte("https://edge-1.example"), "config": []byte(config)})
			g.Expect(err).To(MatchError(argocd.ErrConfig))
			g.Expect(err).NotTo(MatchError(ContainSubstring(canary)))
			g.Expect(shown(got)).To(Equal(shown(argocd.Cluster{})))
		})
	}
}

func TestParseClusterReads(t *testing.T) {
	g := NewWithT(t)
	got, err := argocd.ParseCluster(map[string][]byte{
		"name": []byte("n"), "server": []byte("https://edge-1.example"), "project": []byte("p"),
		"namespaces": []byte("b,a"), "clusterResources": []byte("true"),
		"config":  []byte(" {\"bearerToken\": \"" + canary + "\"}\n"),
		"unknown": []byte(canary),
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(shown(got)).To(Equal([]any{
		"n", "https://edge-1.example", "p", []string{"b", "a"}, true, canary, "", argocd.TLSClientConfig{},
	}))
	_, err = argocd.ParseCluster(nil)
	g.Expect(err).To(MatchError(argocd.ErrConfig))
	_, err = argocd.ParseCluster(map[string][]byte{"config": []byte("null"), "server": []byte("https://edge-1.example")})
	g.Expect(err).To(MatchError(argocd.ErrNoToken))
}

func TestClusterDoesNotShowItself(t *testing.T) {
	cluster := full(t)
	holder := struct{ Inside argocd.Cluster }{cluster}
	for _, v := range []any{
		cluster, &cluster, cluster.Config, &cluster.Config,
		[]argocd.Cluster{cluster},
		map[string]argocd.ClusterConfig{"k": cluster.Config},
		holder, &holder,
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			text := fmt.Sprintf(verb, v)
			NewWithT(t).Expect(text).NotTo(Or(ContainSubstring(canary),
				ContainSubstring(fmt.Sprintf("%x", canary)), ContainSubstring(fmt.Sprintf("%X", canary))), "%s of %T", verb, v)
		}
		text, err := json.Marshal(v)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(string(text)).NotTo(ContainSubstring(canary), "JSON of %T", v)
	}
}
