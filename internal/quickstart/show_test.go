// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

const token = "a-token-that-nobody-may-see"

func TestKeysAreShownWithoutTheirContent(t *testing.T) {
	g := NewWithT(t)
	rows := keyRows(map[string][]byte{"server": []byte("https://edge"), "config": []byte(token)})
	g.Expect(rows).To(Equal([][]string{{"KEY", "BYTES"}, {"config", "27"}, {"server", "12"}}))
	p, out := paper(false)
	p.table(rows)
	g.Expect(out.String()).NotTo(ContainSubstring(token))
}

func TestConditionsKeepTheirOrder(t *testing.T) {
	g := NewWithT(t)
	g.Expect(conditionRows([]metav1.Condition{
		condition("Reachable", "True", "Connected"),
		{Type: "Ready", Status: "False", Reason: "NotReady", Message: "why"},
	})).To(Equal([][]string{
		{"CONDITION", "STATUS", "REASON", "MESSAGE"},
		{"Reachable", "True", "Connected", ""},
		{"Ready", "False", "NotReady", "why"},
	}))
}

func TestCredentialKubeconfigHasNothingButTheCredential(t *testing.T) {
	g := NewWithT(t)
	text, err := credentialKubeconfig(map[string][]byte{
		"server": []byte("https://edge.example.com:6443"),
		"config": []byte(`{"bearerToken":"` + token + `","tlsClientConfig":{"insecure":false,"serverName":"edge"}}`),
	})
	g.Expect(err).NotTo(HaveOccurred())
	cfg, err := clientcmd.RESTConfigFromKubeConfig(text)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(cfg.Host).To(Equal("https://edge.example.com:6443"))
	g.Expect(cfg.BearerToken).To(Equal(token))
	g.Expect(cfg.ServerName).To(Equal("edge"))
	g.Expect(cfg.CertData).To(BeEmpty())

	_, err = credentialKubeconfig(map[string][]byte{"config": []byte(token)})
	g.Expect(err).To(HaveOccurred())
	g.Expect(err.Error()).NotTo(ContainSubstring(token))
}
