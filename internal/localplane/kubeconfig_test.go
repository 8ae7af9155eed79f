// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func TestKubeconfigRoundTrip(t *testing.T) {
	g := NewWithT(t)
	cfg := &rest.Config{
		Host: "https://127.0.0.1:1",
		TLSClientConfig: rest.TLSClientConfig{
			ServerName: "localhost", CAData: []byte("ca"), CertData: []byte("cert"), KeyData: []byte("key"),
		},
	}
	data, err := Kubeconfig("infra", cfg)
	g.Expect(err).NotTo(HaveOccurred())
	file, err := clientcmd.Load(data)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(file.CurrentContext).To(Equal("infra"))
	read, err := clientcmd.RESTConfigFromKubeConfig(data)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Host).To(Equal(cfg.Host))
	g.Expect(read.TLSClientConfig).To(Equal(cfg.TLSClientConfig))
}

func TestKubeconfigWithToken(t *testing.T) {
	g := NewWithT(t)
	data, err := Kubeconfig("infra", &rest.Config{Host: "https://127.0.0.1:1", BearerToken: "t"})
	g.Expect(err).NotTo(HaveOccurred())
	read, err := clientcmd.RESTConfigFromKubeConfig(data)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.BearerToken).To(Equal("t"))
}
