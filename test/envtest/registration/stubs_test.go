// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

func kubeconfigOf(cfg *rest.Config) []byte {
	GinkgoHelper()
	file, err := localplane.Kubeconfig("edge", cfg)
	Expect(err).NotTo(HaveOccurred())
	return file
}

// asToken is a kubeconfig of the infra plane with a bearer token.
func asToken(token string) []byte {
	GinkgoHelper()
	return kubeconfigOf(&rest.Config{Host: infra.Server(), BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: infra.CAData()}})
}

// trusting is an administrator's kubeconfig of the infra plane that expects another authority.
func trusting(ca []byte) []byte {
	GinkgoHelper()
	cfg := infra.Config()
	cfg.CAData = ca
	return kubeconfigOf(cfg)
}

// asUser is a kubeconfig of a user of the infra plane who has just the given rights.
func (b *bench) asUser(rules ...rbacv1.PolicyRule) []byte {
	GinkgoHelper()
	role := plant(b.ctx, b.plane, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: "user-"}, Rules: rules})
	plant(b.ctx, b.plane, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: role.Name}},
	})
	cfg, err := infra.AddUser(role.Name)
	Expect(err).NotTo(HaveOccurred())
	return kubeconfigOf(cfg)
}

func ruleFor(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// stubToken is what servers that are none get to see.
const stubToken = "stub-token-3f9b7c1d5e8a2b4c"

// stub is a kubeconfig of a server that is no API server.
func stub(handler http.HandlerFunc) []byte {
	GinkgoHelper()
	server := httptest.NewTLSServer(handler)
	DeferCleanup(server.Close)
	return kubeconfigOf(&rest.Config{Host: server.URL, BearerToken: stubToken, TLSClientConfig: rest.TLSClientConfig{CAData: certificateOf(server)}})
}

func certificateOf(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

func answering(code int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// impostor is an administrator's kubeconfig of a server that passes everything on to the infra
// plane but the question who a token is for.
func (b *bench) impostor(answer http.HandlerFunc) []byte {
	GinkgoHelper()
	return b.relaying(func(w http.ResponseWriter, req *http.Request) bool {
		theirs := strings.HasSuffix(req.URL.Path, "/selfsubjectreviews")
		if theirs {
			answer(w, req)
		}
		return theirs
	})
}

// relaying is an administrator's kubeconfig of a server that passes on to the infra plane what it
// does not answer itself.
func (b *bench) relaying(answers func(http.ResponseWriter, *http.Request) bool) []byte {
	GinkgoHelper()
	target, err := url.Parse(infra.Server())
	Expect(err).NotTo(HaveOccurred())
	transport, err := rest.TransportFor(&rest.Config{TLSClientConfig: rest.TLSClientConfig{CAData: infra.CAData()}})
	Expect(err).NotTo(HaveOccurred())
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = transport
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !answers(w, req) {
			proxy.ServeHTTP(w, req)
		}
	}))
	DeferCleanup(server.Close)
	return b.adminTokenKubeconfig(b.ctx, server)
}

// reviewOf answers the question who a token is for.
func reviewOf(user string) http.HandlerFunc {
	return answering(http.StatusCreated, map[string]string{"Content-Type": "application/json"},
		`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview","status":{"userInfo":{"username":"`+user+`"}}}`)
}
