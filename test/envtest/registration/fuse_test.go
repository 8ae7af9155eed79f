// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

var errBlown = errors.New("the process was killed")

// fuse counts the requests of a reconciler to both planes and, at one of them, cuts it off
// from the world: before the request is sent, or after it was done and before the answer is
// there. A reconciler that can neither read nor write might as well be dead.
type fuse struct {
	mu     sync.Mutex
	left   int
	before bool
	blown  bool
}

func (f *fuse) arm(at int, before bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left, f.before, f.blown = at, before, false
}

// enter tells whether a request is sent, and whether its answer gets through.
func (f *fuse) enter() (sent, answered bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blown {
		return false, false
	}
	if f.left == 0 {
		return true, true
	}
	f.left--
	if f.left > 0 {
		return true, true
	}
	f.blown = true
	return !f.before, false
}

func (f *fuse) isBlown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.blown
}

// wrap puts the fuse into a client of the control plane. A cache's requests do not count:
// another process would have its own.
func (f *fuse) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		if q := req.URL.Query(); q.Get("watch") != "" || q.Get("limit") != "" || q.Has("resourceVersion") {
			return next.RoundTrip(req)
		}
		sent, answered := f.enter()
		if !sent {
			return nil, errBlown
		}
		answer, err := next.RoundTrip(req)
		if answered || err != nil {
			return answer, err
		}
		_ = answer.Body.Close()
		return nil, errBlown
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// front serves the infra plane at an address of its own, through the fuse.
func (f *fuse) front() *httptest.Server {
	GinkgoHelper()
	target, err := url.Parse(infra.Server())
	Expect(err).NotTo(HaveOccurred())
	roots := x509.NewCertPool()
	Expect(roots.AppendCertsFromPEM(infra.CAData())).To(BeTrue())
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		// The first segment of the path makes it another server for every registration.
		if _, rest, found := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/"); found {
			req.URL.Path, req.URL.RawPath = "/"+rest, ""
		}
		sent, answered := f.enter()
		if !sent {
			panic(http.ErrAbortHandler)
		}
		if answered {
			proxy.ServeHTTP(w, req)
			return
		}
		proxy.ServeHTTP(httptest.NewRecorder(), req)
		panic(http.ErrAbortHandler)
	}))
	DeferCleanup(func() {
		server.Close()
		proxy.Transport.(*http.Transport).CloseIdleConnections()
	})
	return server
}

// adminToken is an admin's token of the infra plane: a client certificate would not get
// through a server in front of it.
func (h *harness) adminToken(ctx context.Context) string {
	GinkgoHelper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "admin-"}}
	Expect(h.plane.Create(ctx, account)).To(Succeed())
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: account.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: account.Namespace, Name: account.Name}},
	}
	Expect(h.plane.Create(ctx, binding)).To(Succeed())
	request := &authenticationv1.TokenRequest{}
	Expect(h.plane.SubResource("token").Create(ctx, account, request)).To(Succeed())
	return request.Status.Token
}

// frontKubeconfig is a kubeconfig for a server in front of the infra plane.
func frontKubeconfig(server *httptest.Server, path, token string) []byte {
	GinkgoHelper()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	file, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"edge": {Server: strings.TrimSuffix(server.URL+"/"+path, "/"), CertificateAuthorityData: certificate}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"admin": {Token: token}},
		Contexts:       map[string]*clientcmdapi.Context{"edge": {Cluster: "edge", AuthInfo: "admin"}},
		CurrentContext: "edge",
	})
	Expect(err).NotTo(HaveOccurred())
	return file
}

func (h *harness) adminTokenKubeconfig(ctx context.Context, server *httptest.Server) []byte {
	GinkgoHelper()
	return frontKubeconfig(server, "", h.adminToken(ctx))
}
