// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // As a program does whose users have auth-providers.

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var _ = Describe("A user with an auth-provider", func() {
	It("is one as any other, once the program links it", func(ctx SpecContext) {
		claims := fmt.Sprintf(`{"exp":%d}`, time.Now().Add(time.Hour).Unix())
		token := "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
		var got string
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			got = req.Header.Get("Authorization")
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"y"}}`)
		}))
		defer server.Close()
		authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		config, err := k8s.ParseKubeconfig(fmt.Appendf(nil, `
current-context: c
clusters: [{name: c, cluster: {server: %q, certificate-authority-data: %q}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users:
- name: u
  user: {auth-provider: {name: oidc, config: {idp-issuer-url: https://issuer.example, client-id: me, id-token: %q}}}
`, server.URL, base64.StdEncoding.EncodeToString(authority), token), "")
		Expect(err).NotTo(HaveOccurred())
		client, err := k8s.NewClient(config)
		Expect(err).NotTo(HaveOccurred())
		_, found, err := client.Get(ctx, k8s.Pods, "y")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeTrue())
		Expect(got).To(Equal("Bearer " + token))
	})
})
