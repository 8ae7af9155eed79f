// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"net/http"
	"net/url"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func parse(t *testing.T, method, target string) request {
	t.Helper()
	base := &url.URL{Scheme: "https", Host: "plane.example", Path: "/prefix"}
	req, err := http.NewRequestWithContext(t.Context(), method, "https://plane.example/prefix"+target, http.NoBody)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return parseRequest(base, req)
}

func TestOpsAndRepetition(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, target, op string
		safe               bool
	}{
		{"GET", "/version", "get version", true},
		{"GET", "/api/v1/namespaces/kube-system", "get namespaces", true},
		{"GET", "/api/v1/namespaces", "list namespaces", true},
		{"GET", "/api/v1/namespaces/a/secrets/token", "get secrets", true},
		{"GET", "/api/v1/namespaces/status", "get namespaces", true},
		{"PUT", "/api/v1/namespaces/a/finalize", "update namespaces/finalize", false},
		{"GET", "/api/v1/secrets?watch=false", "list secrets", true},
		{"POST", "/api/v1/namespaces/a/serviceaccounts/b/token", "create serviceaccounts/token", false},
		{"PATCH", "/apis/rbac.authorization.k8s.io/v1/clusterroles/a", "patch clusterroles", false},
		{"DELETE", "/apis/rbac.authorization.k8s.io/v1/namespaces/a/roles/b", "delete roles", false},
		{"DELETE", "/apis/batch/v1/namespaces/a/jobs", "deletecollection jobs", false},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "create selfsubjectaccessreviews", true},
		{"POST", "/apis/authentication.k8s.io/v1/tokenreviews", "create tokenreviews", false},
		{"GET", "/apis/example.com/v1/namespaces/a/widgets/b/spin", "get other", true},
		{"GET", "/healthz", "get other", true},
		{"GET", "/", "get other", true},
		{"GET", "/api", "get other", true},
		{"GET", "/api/v1", "get other", true},
		{"GET", "//api//v1///", "list other", true},
	} {
		parsed := parse(t, test.method, test.target)
		NewWithT(t).Expect(parsed.op()).To(Equal(test.op), test.target)
		NewWithT(t).Expect(parsed.safe).To(Equal(test.safe), test.target)
	}
}

func TestExpectedKinds(t *testing.T) {
	t.Parallel()
	gvk := schema.FromAPIVersionAndKind
	status := gvk("v1", "Status")
	for _, test := range []struct {
		method, target string
		answered       schema.GroupVersionKind
		want           bool
	}{
		{"GET", "/api/v1/namespaces/a/secrets/b", gvk("v1", "Secret"), true},
		{"GET", "/api/v1/namespaces/a/secrets/b", gvk("v1", "SecretList"), false},
		{"GET", "/api/v1/namespaces/a/secrets/b", status, false},
		{"GET", "/api/v1/namespaces/a/secrets", gvk("v1", "SecretList"), true},
		{"GET", "/api/v1/namespaces/a/secrets", gvk("v1", "Secret"), false},
		{"POST", "/api/v1/namespaces/a/secrets", gvk("v1", "Secret"), true},
		{"POST", "/api/v1/namespaces/a/serviceaccounts/b/token", gvk("authentication.k8s.io/v1", "TokenRequest"), true},
		{"POST", "/api/v1/namespaces/a/serviceaccounts/b/token", gvk("v1", "ServiceAccount"), false},
		{"POST", "/api/v1/namespaces/a/pods/b/eviction", status, true},
		{"PATCH", "/apis/rbac.authorization.k8s.io/v1/clusterroles/a", gvk("rbac.authorization.k8s.io/v1", "ClusterRole"), true},
		{"PATCH", "/apis/rbac.authorization.k8s.io/v1/clusterroles/a", gvk("rbac.authorization.k8s.io/v1beta1", "ClusterRole"), false},
		{"DELETE", "/api/v1/namespaces/a/secrets/b", status, true},
		{"DELETE", "/api/v1/namespaces/a/secrets/b", gvk("v1", "Secret"), true},
		{"DELETE", "/api/v1/namespaces/a/secrets/b", gvk("v1", "Pod"), false},
		{"DELETE", "/api/v1/namespaces/a/secrets", gvk("v1", "SecretList"), true},
		{"GET", "/apis/example.com/v1/widgets/b", gvk("example.com/v1", "Widget"), true},
		{"GET", "/apis/example.com/v1/widgets/b", status, false},
	} {
		parsed := parse(t, test.method, test.target)
		NewWithT(t).Expect(parsed.expects(test.answered)).To(Equal(test.want), "%s %s: %s", test.method, test.target, test.answered)
	}
}

func TestLogsAreText(t *testing.T) {
	t.Parallel()
	logs := parse(t, http.MethodGet, "/api/v1/namespaces/a/pods/b/log")
	NewWithT(t).Expect(logs.accepts(http.Header{"Content-Type": {"text/plain"}}, []byte("hello"))).To(BeTrue())
	NewWithT(t).Expect(logs.accepts(http.Header{"Content-Type": {"text/html"}}, []byte("hello"))).To(BeFalse())
}
