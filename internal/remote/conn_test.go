// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// A connection that is printed by mistake shows nothing of its credential.
func TestConnDoesNotShowItsCredential(t *testing.T) {
	g := NewWithT(t)
	const canary = "zQ7t0k9-W9xV4Jq"
	pool, err := NewPool(Policy{})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(pool.Close)
	for name, credential := range map[string]kubeconfig.Credential{
		"a token":    {BearerToken: canary},
		"a password": {Username: "u", Password: canary},
	} {
		conn, err := pool.Connect(types.NamespacedName{Name: name}, kubeconfig.Endpoint{Server: "https://edge-1.example"}, credential)
		g.Expect(err).NotTo(HaveOccurred())
		for _, value := range []any{conn, []*Conn{conn}, struct{ Conn *Conn }{conn}, pool} {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
				g.Expect(fmt.Sprintf(verb, value)).NotTo(Or(ContainSubstring(canary), ContainSubstring(fmt.Sprintf("%x", canary)),
					ContainSubstring(basicAuth("u", canary))), "%s of %s", verb, name)
			}
		}
	}
}
