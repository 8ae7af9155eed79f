// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// server answers every request in the same way, for what a real API server cannot be made to say.
func server(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func clientOf(t *testing.T, config *rest.Config) *k8s.Client {
	t.Helper()
	c, err := k8s.NewClient(k8s.Config{REST: config, Namespace: "x"})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return c
}

func TestErrorsOfWhatIsNoAPIServer(t *testing.T) {
	g := NewWithT(t)
	c := clientOf(t, &rest.Config{Host: server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>no</html>"))
	})})
	_, _, err := c.Get(t.Context(), k8s.Pods, "y")
	g.Expect(err).To(MatchError(HavePrefix("k8s: GET /api/v1/namespaces/x/pods/y: 502 ")))
	g.Expect(err).To(And(HaveField("Code", 502), HaveField("Reason", metav1.StatusReasonInternalError)))
}

func TestErrorsWithoutAnAnswer(t *testing.T) {
	g := NewWithT(t)
	c := clientOf(t, &rest.Config{Host: "https://127.0.0.1:1"})
	_, err := c.List(t.Context(), k8s.Jobs, "")
	g.Expect(err).To(MatchError(Equal("k8s: GET /apis/batch/v1/namespaces/x/jobs: dial tcp 127.0.0.1:1: connect: connection refused")))
	g.Expect(err).To(HaveField("Code", 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.List(ctx, k8s.Jobs, "")
	g.Expect(err).To(MatchError(context.Canceled))
}

func TestResources(t *testing.T) {
	c := clientOf(t, &rest.Config{Host: "https://127.0.0.1:1"})
	for _, r := range []k8s.Resource{
		k8s.Pods, {Prefix: "api/v1", Plural: "pods"}, {Prefix: "/apis/a.b/v1beta1/", Plural: "things"},
	} {
		_, err := c.List(t.Context(), r, "")
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("connection refused")), r.Prefix)
	}
	for r, want := range map[k8s.Resource]string{
		{Prefix: "", Plural: "pods"}:                 "Resource.Prefix",
		{Prefix: "/api", Plural: "pods"}:             "Resource.Prefix",
		{Prefix: "/apis/v1", Plural: "pods"}:         "Resource.Prefix",
		{Prefix: "/apis/a/v1/b", Plural: "pods"}:     "Resource.Prefix",
		{Prefix: "/api/v1"}:                          "Resource.Plural",
		{Prefix: "/api/v1", Plural: "pods/x/status"}: "Resource.Plural",
	} {
		g := NewWithT(t)
		_, err := c.List(t.Context(), r, "")
		g.Expect(err).To(MatchError(ContainSubstring(want)))
		_, _, err = c.Get(t.Context(), r, "a")
		g.Expect(err).To(MatchError(ContainSubstring(want)))
		_, err = c.Create(t.Context(), r, "kind: A\napiVersion: v1")
		g.Expect(err).To(MatchError(ContainSubstring(want)))
		_, err = c.Delete(t.Context(), r, "a", k8s.DeleteOptions{})
		g.Expect(err).To(MatchError(ContainSubstring(want)))
		_, err = c.DeleteAll(t.Context(), r, "a=b")
		g.Expect(err).To(MatchError(ContainSubstring(want)))
		for _, err := range c.Watch(t.Context(), r, k8s.WatchOptions{}) {
			g.Expect(err).To(MatchError(ContainSubstring(want)))
		}
	}
}

func TestManifestsThatAreNoObject(t *testing.T) {
	c := clientOf(t, &rest.Config{Host: "https://127.0.0.1:1"})
	for _, manifest := range []string{"", "# nothing", "word", "[]", "- kind: Pod", "{}", "kind: Pod", "apiVersion: v1", "kind: 1\napiVersion: v1"} {
		_, err := c.Create(t.Context(), k8s.Pods, manifest)
		NewWithT(t).Expect(err).To(MatchError("k8s: the manifest must be one object with apiVersion and kind"), manifest)
	}
	_, err := c.Create(t.Context(), k8s.Pods, "kind: Pod\napiVersion: v1\n---\nkind: Pod\napiVersion: v1\n")
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("more than one document")))
}

func TestAClientNeedsAServer(t *testing.T) {
	g := NewWithT(t)
	_, err := k8s.NewClient(k8s.Config{})
	g.Expect(err).To(MatchError("k8s: Config.REST must be set"))
	_, err = k8s.NewClient(k8s.Config{REST: &rest.Config{Host: "https://h", TLSClientConfig: rest.TLSClientConfig{CAFile: "/none"}}})
	g.Expect(err).To(MatchError(ContainSubstring("/none")))
	c, err := k8s.NewClient(k8s.Config{REST: &rest.Config{Host: "https://h"}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Namespace()).To(Equal("default"))
}

// The kubelet replaces the file when it rotates the token.
func TestATokenFileIsReadAgain(t *testing.T) {
	t.Parallel() // client-go reads it about once a minute.
	g := NewWithT(t)
	var valid string
	host := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer "+valid {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":401,"reason":"Unauthorized","message":"no"}`))
			return
		}
		_, _ = w.Write([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"y"}}`))
	})
	file := filepath.Join(t.TempDir(), "token")
	write := func(token string) { g.Expect(os.WriteFile(file, []byte(token), 0o600)).To(Succeed()) }
	write("one")
	valid = "one"
	c := clientOf(t, &rest.Config{Host: host, BearerTokenFile: file})
	get := func() error {
		_, _, err := c.Get(t.Context(), k8s.Pods, "y")
		return err
	}
	g.Expect(get()).To(Succeed())
	valid = "two"
	err := get()
	g.Expect(err).To(MatchError("k8s: GET /api/v1/namespaces/x/pods/y: 401 Unauthorized: no"))
	g.Expect(apierrors.IsUnauthorized(err)).To(BeTrue())
	write("two")
	g.Eventually(get).WithTimeout(2 * time.Minute).WithPolling(time.Second).Should(Succeed())
}
