// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Version{
		goodVersion: {1, 37, "v1.37.2"},
		`{"major":"1","minor":"28+","gitVersion":"v1.28.9-eks-036c24b","platform":"x"}`: {1, 28, "v1.28.9-eks-036c24b"},
		`{"major":"1","minor":"31","gitVersion":"v1.31.4+k3s1"}`:                        {1, 31, "v1.31.4+k3s1"},
		`{"major":"","minor":"","gitVersion":"v0.0.0-master+abc"}`:                      {0, 0, "v0.0.0-master+abc"},
	} {
		p := startPlane(t, fixed(200, "application/json", body))
		got, err := connect(t, p, loopback()).Version(t.Context())
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), body)
		NewWithT(t).Expect(got).To(Equal(want))
		NewWithT(t).Expect(p.lastRequest(t).URL.Path).To(Equal("/version"))
	}
	for name, body := range map[string]string{
		"empty":              `{}`,
		"no git version":     `{"major":"1","minor":"37"}`,
		"control characters": `{"major":"1","minor":"37","gitVersion":"v1.37.2\u001b[31m` + gossip + `"}`,
		"newline":            `{"major":"1","minor":"37","gitVersion":"v1.37.2\n"}`,
		"odd minor":          `{"major":"1","minor":"` + gossip + `","gitVersion":"v1.37.2"}`,
		"a megabyte":         `{"major":"1","minor":"37","gitVersion":"v1.37.2-` + strings.Repeat("x", 1<<20) + `"}`,
		"not a string":       `{"major":1,"minor":37,"gitVersion":true}`,
		"an array":           `["` + gossip + `"]`,
	} {
		p := startPlane(t, fixed(200, "application/json", body))
		got, err := connect(t, p, loopback()).Version(t.Context())
		expectFailure(t, err, NotAKubernetesAPI)
		NewWithT(t).Expect(got).To(BeZero(), name)
	}
}

func TestClusterUID(t *testing.T) {
	t.Parallel()
	namespace := func(name, uid string) string {
		return `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"` + name + `","uid":"` + uid + `"}}`
	}
	p := startPlane(t, fixed(200, "application/json", goodNamespace))
	got, err := connect(t, p, loopback()).ClusterUID(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(got).To(Equal(types.UID("0b2a7a52-6f8d-4c56-9f0e-2f3a2f5f1a10")))
	NewWithT(t).Expect(p.lastRequest(t).URL.Path).To(Equal("/api/v1/namespaces/kube-system"))
	for name, body := range map[string]string{
		"empty":              namespace("kube-system", ""),
		"control characters": namespace("kube-system", `a\u0000`+gossip),
		"a megabyte":         namespace("kube-system", strings.Repeat("a", 1<<20)),
		"65 characters":      namespace("kube-system", strings.Repeat("a", 65)),
		"other namespace":    namespace("default", "a"),
		"blank":              namespace("kube-system", " a"),
		"empty object":       `{}`,
	} {
		p := startPlane(t, fixed(200, "application/json", body))
		got, err := connect(t, p, loopback()).ClusterUID(t.Context())
		expectFailure(t, err, NotAKubernetesAPI)
		NewWithT(t).Expect(got).To(BeEmpty(), name)
	}
}

func TestWhoAmI(t *testing.T) {
	t.Parallel()
	review := func(user string) string {
		return `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":` + user + `}}`
	}
	p := startPlane(t, func(w http.ResponseWriter, r *http.Request) {
		body := objectFor(r)
		answerText(w, 201, "application/json", body)
	})
	got, err := connect(t, p, loopback()).WhoAmI(t.Context())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(got).To(Equal(Identity{
		Username: "system:serviceaccount:kube-system:ccluster-manager", UID: "u-1", Groups: []string{"system:authenticated"},
	}))
	last := p.lastRequest(t)
	NewWithT(t).Expect(last.Method + " " + last.URL.Path).To(Equal("POST /apis/authentication.k8s.io/v1/selfsubjectreviews"))
	for name, body := range map[string]string{
		"empty object":       `{}`,
		"no user":            review(`{}`),
		"control characters": review(`{"username":"a\u202e` + gossip + `"}`),
		"a megabyte":         review(`{"username":"` + strings.Repeat("a", 1<<20) + `"}`),
		"bad UID":            review(`{"username":"a","uid":"\n"}`),
		"bad group":          review(`{"username":"a","groups":["b","\u0007"]}`),
		"many groups":        review(`{"username":"a","groups":["b"` + strings.Repeat(`,"b"`, 1024) + `]}`),
	} {
		p := startPlane(t, fixed(201, "application/json", body))
		got, err := connect(t, p, loopback()).WhoAmI(t.Context())
		expectFailure(t, err, NotAKubernetesAPI)
		NewWithT(t).Expect(got).To(Equal(Identity{}), name)
	}
}
