// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

type sender func(*http.Request) (*http.Response, error)

func (f sender) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Whoever brings a client brings the authentication, too.
func TestAnOwnHTTPClientSendsAllRequests(t *testing.T) {
	g := NewWithT(t)
	var credential []string
	config := &rest.Config{Host: server(t, func(w http.ResponseWriter, r *http.Request) {
		credential = append(credential, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"y"}}`))
	}), BearerToken: "unused", TLSClientConfig: rest.TLSClientConfig{CAFile: "/none"}}
	var sent []string
	own := &http.Client{Transport: sender(func(req *http.Request) (*http.Response, error) {
		sent = append(sent, req.URL.Path)
		return http.DefaultTransport.RoundTrip(req)
	})}
	c, err := k8s.NewClient(k8s.Config{REST: config, HTTP: own, Namespace: "x"})
	g.Expect(err).NotTo(HaveOccurred())
	_, found, err := c.Get(t.Context(), k8s.Pods, "y")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeTrue())
	_, err = c.Logs(t.Context(), "y", k8s.LogOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(sent).To(Equal([]string{"/api/v1/namespaces/x/pods/y", "/api/v1/namespaces/x/pods/y/log"}))
	g.Expect(credential).To(Equal([]string{"", ""}))
}

func TestAConfigIsNotChanged(t *testing.T) {
	g := NewWithT(t)
	config := &rest.Config{Host: "https://h", BearerToken: "t"}
	before := rest.CopyConfig(config)
	c, err := k8s.NewClient(k8s.Config{REST: config, Namespace: "x"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config).To(Equal(before))
	g.Expect(c.In("other").Namespace()).To(Equal("other"))
	g.Expect(c.In("").Namespace()).To(Equal("x"))
	g.Expect(c.Namespace()).To(Equal("x"))
}
