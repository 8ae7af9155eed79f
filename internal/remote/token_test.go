// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func TestMintToken(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	var asked authenticationv1.TokenRequest
	p := startPlane(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, gossip, http.StatusBadRequest)
			return
		}
		answerText(w, 201, "application/json", `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"minted.by.server","expirationTimestamp":"2031-02-03T04:05:06Z"}}`)
	})
	account := types.NamespacedName{Namespace: "kube-system", Name: "ccluster-manager"}
	token, err := connect(t, p, loopback()).MintToken(t.Context(), account, authenticationv1.TokenRequestSpec{
		Audiences:         []string{"https://kubernetes.default.svc"},
		ExpirationSeconds: ptr.To[int64](600),
		BoundObjectRef:    &authenticationv1.BoundObjectReference{Kind: "Secret", APIVersion: "v1", Name: "anchor"},
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(token.Value).To(Equal("minted.by.server"))
	g.Expect(token.ExpiresAt.UTC()).To(Equal(time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)))
	g.Expect(p.lastRequest(t).URL.Path).To(Equal("/api/v1/namespaces/kube-system/serviceaccounts/ccluster-manager/token"))
	g.Expect(asked.Kind).To(Equal("TokenRequest"))
	g.Expect(*asked.Spec.ExpirationSeconds).To(Equal(int64(600)))
	g.Expect(asked.Spec.BoundObjectRef.Name).To(Equal("anchor"))
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		g.Expect(fmt.Sprintf(format, token)).NotTo(ContainSubstring("minted"), format)
	}
}

func TestMintedTokenIsChecked(t *testing.T) {
	t.Parallel()
	account := types.NamespacedName{Namespace: "a", Name: "b"}
	status := func(token, expires string) string {
		return `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"` + token + `","expirationTimestamp":` + expires + `}}`
	}
	const later = `"2031-02-03T04:05:06Z"`
	for name, body := range map[string]string{
		"empty object":  `{}`,
		"no token":      status("", later),
		"blank":         status("a b", later),
		"newline":       status(`a\nb`, later),
		"too long":      status(strings.Repeat("a", 1<<20), later),
		"never expires": status("a", "null"),
		"bad time":      status("a", `"`+gossip+`"`),
	} {
		p := startPlane(t, fixed(201, "application/json", body))
		token, err := connect(t, p, loopback()).MintToken(t.Context(), account, authenticationv1.TokenRequestSpec{})
		expectFailure(t, err, NotAKubernetesAPI)
		NewWithT(t).Expect(token).To(Equal(Token{}), name)
	}
	p := startPlane(t, fixed(201, "application/json", status("a", later)))
	conn := connect(t, p, loopback())
	for _, bad := range []types.NamespacedName{{}, {Namespace: "..", Name: "b"}, {Namespace: "a", Name: "b/c"}, {Namespace: "a", Name: "b?x"}} {
		_, err := conn.MintToken(t.Context(), bad, authenticationv1.TokenRequestSpec{})
		expectFailure(t, err, Invalid)
	}
	NewWithT(t).Expect(p.served.Load()).To(BeZero())
}
