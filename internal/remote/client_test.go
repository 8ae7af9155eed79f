// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// echo answers with the request's method, path and body.
func echo(t *testing.T, kind, apiVersion string) (*plane, *[]string) {
	t.Helper()
	seen := &[]string{}
	p := startPlane(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*seen = append(*seen, r.Method+" "+r.URL.EscapedPath())
		if bytes.Contains(body, []byte(gossip)) {
			*seen = append(*seen, "body")
		}
		answerText(w, 200, "application/json", `{"kind":"`+kind+`","apiVersion":"`+apiVersion+`","metadata":{"name":"b"}}`)
	})
	return p, seen
}

func TestClientCalls(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p, seen := echo(t, "Secret", "v1")
	c := connect(t, p, loopback()).Client()
	secret := func() *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}, StringData: map[string]string{"x": gossip}}
	}
	key := client.ObjectKey{Namespace: "a", Name: "b"}
	g.Expect(c.Get(t.Context(), key, &corev1.Secret{})).To(Succeed())
	g.Expect(c.Create(t.Context(), secret())).To(Succeed())
	g.Expect(p.lastRequest(t).Header.Get("Content-Type")).To(Equal("application/json"))
	g.Expect(c.Update(t.Context(), secret())).To(Succeed())
	g.Expect(c.Patch(t.Context(), secret(), client.RawPatch("application/merge-patch+json", []byte(`{}`)))).To(Succeed())
	g.Expect(c.Apply(t.Context(), corev1ac.Secret("b", "a"), client.FieldOwner("test"))).To(Succeed())
	g.Expect(c.Delete(t.Context(), secret())).To(Succeed())
	g.Expect(c.DeleteAllOf(t.Context(), secret(), client.InNamespace("a"))).To(Succeed())
	untyped := &unstructured.Unstructured{}
	untyped.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	g.Expect(c.Get(t.Context(), key, untyped)).To(Succeed())
	g.Expect(*seen).To(Equal([]string{
		"GET /api/v1/namespaces/a/secrets/b",
		"POST /api/v1/namespaces/a/secrets", "body",
		"PUT /api/v1/namespaces/a/secrets/b", "body",
		"PATCH /api/v1/namespaces/a/secrets/b",
		"PATCH /api/v1/namespaces/a/secrets/b",
		"DELETE /api/v1/namespaces/a/secrets/b",
		"DELETE /api/v1/namespaces/a/secrets",
		"GET /api/v1/namespaces/a/secrets/b",
	}))
}

func TestClientLists(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", `{"kind":"SecretList","apiVersion":"v1","items":[{"metadata":{"name":"b"}}]}`))
	list := &corev1.SecretList{}
	g.Expect(connect(t, p, loopback()).Client().List(t.Context(), list, client.InNamespace("a"), client.MatchingLabels{"x": "y"})).To(Succeed())
	g.Expect(list.Items).To(HaveLen(1))
	g.Expect(p.lastRequest(t).URL.Query().Get("labelSelector")).To(Equal("x=y"))
}

func TestClientListsMetadata(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"b"}}]}`))
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	g.Expect(connect(t, p, loopback()).Client().List(t.Context(), list)).To(Succeed())
	g.Expect(list.Items).To(HaveLen(1))
	g.Expect(p.lastRequest(t).Header.Get("Accept")).NotTo(ContainSubstring("protobuf"))
}

func TestSubResources(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p, seen := echo(t, "TokenRequest", "authentication.k8s.io/v1")
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}}
	sub := connect(t, p, loopback()).Client().SubResource("token")
	g.Expect(sub.Create(t.Context(), account, &authenticationv1.TokenRequest{})).To(Succeed())
	g.Expect(*seen).To(Equal([]string{"POST /api/v1/namespaces/a/serviceaccounts/b/token"}))

	p, seen = echo(t, "Namespace", "v1")
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	status := connect(t, p, loopback()).Client().Status()
	g.Expect(status.Update(t.Context(), namespace)).To(Succeed())
	g.Expect(status.Patch(t.Context(), namespace, client.RawPatch("application/merge-patch+json", []byte(`{}`)))).To(Succeed())
	g.Expect(status.Apply(t.Context(), corev1ac.Namespace("b"), client.FieldOwner("test"))).To(Succeed())
	g.Expect(*seen).To(Equal([]string{
		"PUT /api/v1/namespaces/b/status", "PATCH /api/v1/namespaces/b/status", "PATCH /api/v1/namespaces/b/status",
	}))
	wrong := startPlane(t, fixed(200, "application/json", `{}`))
	sub = connect(t, wrong, loopback()).Client().SubResource("token")
	expectFailure(t, sub.Get(t.Context(), account, &authenticationv1.TokenRequest{}), NotAKubernetesAPI)
}

// One shared client serves all planes: each call must reach its own.
func TestClientsReachTheirOwnPlane(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	pool := newPool(t, loopback())
	var clients []client.Client
	var planes []*plane
	for _, name := range []string{"edge-1", "edge-2"} {
		p := startPlane(t, fixed(200, "application/json", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"`+name+`"}}`))
		ep := p.endpoint()
		ep.Server += "/k8s/clusters/a%2Fb/"
		conn, err := pool.Connect(edge(name), ep, kubeconfig.Credential{BearerToken: "token-" + name})
		g.Expect(err).NotTo(HaveOccurred())
		clients, planes = append(clients, conn.Client()), append(planes, p)
	}
	for range 3 {
		for i, name := range []string{"edge-1", "edge-2"} {
			namespace := &corev1.Namespace{}
			g.Expect(clients[i].Get(t.Context(), client.ObjectKey{Name: "x"}, namespace)).To(Succeed())
			g.Expect(namespace.Name).To(Equal(name))
			last := planes[i].lastRequest(t)
			g.Expect(last.Header.Get("Authorization")).To(Equal("Bearer token-" + name))
			g.Expect(last.URL.EscapedPath()).To(Equal("/k8s/clusters/a%2Fb/api/v1/namespaces/x"))
		}
	}
	g.Expect(planes[0].accepted.Load() + planes[1].accepted.Load()).To(Equal(int64(2)))
}

// client-go logs bodies at high verbosity.
func TestNothingIsLogged(t *testing.T) {
	g := NewWithT(t)
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	var logged bytes.Buffer
	for name, value := range map[string]string{"v": "10", "logtostderr": "false", "stderrthreshold": "FATAL"} {
		g.Expect(flags.Set(name, value)).To(Succeed())
	}
	klog.SetOutput(&logged)
	defer func() {
		g.Expect(flags.Set("v", "0")).To(Succeed())
		klog.SetOutput(io.Discard)
	}()
	p := startPlane(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Warning", `299 - "`+gossip+`"`)
		answerText(w, 200, "application/json", `{"kind":"Secret","apiVersion":"v1","data":{"`+gossip+`":"eA=="}}`)
	})
	conn := connect(t, p, loopback())
	klog.Flush()
	logged.Reset() // client-go logs its feature gates when it is first used.
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b"}, StringData: map[string]string{"token": canary}}
	g.Expect(conn.Client().Create(t.Context(), secret)).To(Succeed())
	expectFailure(t, conn.Client().Get(t.Context(), client.ObjectKey{Name: "x"}, &corev1.Namespace{}), NotAKubernetesAPI)
	klog.Flush()
	g.Expect(logged.String()).To(BeEmpty())
}

func TestUnknownKindsAreRefusedLocally(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", `{}`))
	c := connect(t, p, loopback()).Client()
	widget := &unstructured.Unstructured{}
	widget.SetAPIVersion("example.com/v1")
	widget.SetKind("Widget")
	err := c.Get(t.Context(), client.ObjectKey{Name: "x"}, widget)
	g.Expect(err).To(MatchError(ContainSubstring(`no matches for kind "Widget"`)))
	g.Expect(p.accepted.Load()).To(BeZero())
}

func TestStaticMapping(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(200, "application/json", `{}`))
	c := connect(t, p, loopback()).Client()
	for _, entry := range kinds {
		gvk := entry.group.WithKind(entry.kind)
		g.Expect(c.Scheme().Recognizes(gvk)).To(BeTrue(), gvk.String())
		mapping, err := c.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(mapping.Resource).To(Equal(entry.group.WithResource(entry.resource)))
	}
	for object, namespaced := range map[client.Object]bool{
		&corev1.Secret{}: true, &corev1.Namespace{}: false, &rbacv1.ClusterRole{}: false, &rbacv1.Role{}: true,
		&authorizationv1.SelfSubjectAccessReview{}: false,
	} {
		got, err := c.IsObjectNamespaced(object)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got).To(Equal(namespaced), "%T", object)
	}
	g.Expect(p.accepted.Load()).To(BeZero()) // No discovery.
}

// Without a plane in its context, the shared client reaches nothing.
func TestSharedClientAlone(t *testing.T) {
	t.Parallel()
	shared, err := newSharedClient(rest.DefaultKubernetesUserAgent())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	expectFailure(t, shared.Get(t.Context(), client.ObjectKey{Name: "x"}, &corev1.Namespace{}), Unknown)
}
