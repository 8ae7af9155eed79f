// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/infraplane"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

const canary = "canary-c5r7k2"

// bad are credentials that must not get to Argo CD: it would take more than a cluster from them,
// or fail for all clusters.
var bad = map[string]map[string]string{
	"every server":                   {"server": "https://*:6443"},
	"a server without a scheme":      {"server": "edge.example.com:6443"},
	"a server without TLS":           {"server": "http://edge.example.com"},
	"a user in the server":           {"server": "https://" + canary + "@edge.example.com"},
	"the in-cluster address":         {"server": "https://kubernetes.default.svc"},
	"the same with a port":           {"server": "https://kubernetes.default.svc:443"},
	"the same in capitals":           {"server": "https://KUBERNETES.default.svc/"},
	"the same, in full":              {"server": "https://kubernetes.default.svc.cluster.local."},
	"no server":                      {"server": ""},
	"Argo CD's own identity":         {"config": `{"awsAuthConfig":{"clusterName":"` + canary + `"}}`},
	"a program":                      {"config": `{"bearerToken":"x","execProviderConfig":{"command":"` + canary + `"}}`},
	"a password":                     {"config": `{"username":"a","password":"` + canary + `"}`},
	"no credential":                  {"config": `{"tlsClientConfig":{"insecure":false}}`},
	"no JSON":                        {"config": canary},
	"more than JSON":                 {"config": `{"bearerToken":"x"}{"` + canary + `":1}`},
	"no config":                      {"config": ""},
	"an authority that is none":      {"config": `{"bearerToken":"x","tlsClientConfig":{"caData":"eA=="}}`},
	"no verification, and authority": {"config": `{"bearerToken":"x","tlsClientConfig":{"insecure":true,"caData":"eA=="}}`},
	"a proxy with a password":        {"config": `{"bearerToken":"x","proxyUrl":"http://a:` + canary + `@proxy"}`},
}

var _ = Describe("Credentials", func() {
	for name, content := range bad {
		It("are refused, and nothing of them is told: "+name, func(ctx SpecContext) {
			h := newHarness(ctx)
			given := data(h.token())
			for key, value := range content {
				given[key] = []byte(value)
			}
			plane := h.settle(h.make("edge", given), metav1.ConditionFalse, v1alpha1.ReasonInvalidCredentials)
			message := conditions.Find(plane.Status.Conditions, v1alpha1.ConditionAvailable).Message
			Expect(message).To(HavePrefix("Secret edge-credentials: "))
			Expect(message).NotTo(ContainSubstring(canary))
			Expect(strings.Join(h.events(), "\n")).NotTo(ContainSubstring(canary))
			Expect(h.clusterSecrets()).To(BeEmpty())
			Expect(h.calls.made).To(BeEmpty())

			By("getting Available when they are good")
			good := h.token()
			edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Data = data(good) })
			h.available(plane)
		})
	}

	It("that do not exist are waited for", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.bare("edge", "edge-credentials")
		h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonReferenceNotFound)
		Expect(h.kube.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: "edge-credentials"}, Data: data(h.token()),
		})).To(Succeed())
		h.available(plane)
	})

	It("for an address that may not be dialled do not get to Argo CD, which would dial it", func(ctx SpecContext) {
		h := newHarness(ctx)
		h.dial(remote.Policy{Deny: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		h.settle(h.make("edge", data(h.token())), metav1.ConditionFalse, v1alpha1.ReasonAddressDenied)
		Expect(h.clusterSecrets()).To(BeEmpty())
	})

	for name, d := range map[string]struct {
		config, reason string
	}{
		"a proxy":               {`{"bearerToken":"x","proxyUrl":"http://127.0.0.1:1"}`, v1alpha1.ReasonReferenceNotPermitted},
		"unverified connection": {`{"bearerToken":"x","tlsClientConfig":{"insecure":true}}`, v1alpha1.ReasonReferenceNotPermitted},
	} {
		It("need the manager's leave for "+name, func(ctx SpecContext) {
			h := newHarness(ctx)
			given := data("x")
			given["config"] = []byte(d.config)
			h.settle(h.make("edge", given), metav1.ConditionFalse, d.reason)
			Expect(h.clusterSecrets()).To(BeEmpty())
		})
	}
})

var _ = Describe("A server", func() {
	for name, spelling := range map[string]func(string) string{
		"as it is":          func(s string) string { return s },
		"in capitals":       strings.ToUpper,
		"with a slash":      func(s string) string { return s + "/" },
		"as Argo CD has it": func(s string) string { return " " + s + " " },
	} {
		It("that Argo CD has already is refused, "+name, func(ctx SpecContext) {
			h := newHarness(ctx)
			other := &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: h.argo, Name: "cluster-" + canary, Labels: map[string]string{argocd.SecretTypeLabel: "cluster"}},
				Data:       map[string][]byte{"server": []byte(spelling(infra.Server())), "config": []byte("{}")},
			}
			Expect(h.kube.Create(ctx, other)).To(Succeed())
			plane := h.settle(h.make("edge", data(h.token())), metav1.ConditionFalse, v1alpha1.ReasonServerAlreadyRegistered)
			Expect(conditions.Find(plane.Status.Conditions, v1alpha1.ConditionAvailable).Message).NotTo(ContainSubstring(canary))
			Expect(h.clusterSecrets()).To(Equal([]string{other.Name}))
			Expect(h.kube.Delete(ctx, other)).To(Succeed())
			h.available(plane)
		})
	}

	It("keeps its credential up to date when somebody adds it a second time", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		other := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: h.argo, Name: "second", Labels: map[string]string{argocd.SecretTypeLabel: "cluster"}},
			Data:       map[string][]byte{"server": []byte(infra.Server()), "config": []byte("{}")},
		}
		Expect(h.kube.Create(ctx, other)).To(Succeed())
		h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonServerAlreadyRegistered)
		next := h.token()
		edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Data = data(next) })
		h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonServerAlreadyRegistered)
		Expect(string(h.mirror(plane).Data["config"])).To(ContainSubstring(next))
		Expect(h.kube.Delete(ctx, other)).To(Succeed())
		h.available(plane)
	})

	It("is the first plane's of several, in whatever namespace", func(ctx SpecContext) {
		h := newHarness(ctx)
		first := h.available(h.make("edge", data(h.token())))
		second := h.make("other", data(h.token()))
		live := h.settle(second, metav1.ConditionFalse, v1alpha1.ReasonServerAlreadyRegistered)
		Expect(conditions.Find(live.Status.Conditions, v1alpha1.ConditionAvailable).Message).NotTo(ContainSubstring("edge"))
		h.available(first)
		Expect(h.kube.Delete(ctx, first)).To(Succeed())
		h.gone(client.ObjectKeyFromObject(first))
		h.available(second)
	})
})

var _ = Describe("The check of a plane", func() {
	It("tells of a token that is refused, and that it is accepted again", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		before := h.mirror(plane)
		edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Data = data(canary) })
		live := h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonUnauthorized)
		Expect(conditions.Find(live.Status.Conditions, v1alpha1.ConditionAvailable).Message).To(Equal(
			infra.Server() + ": The server does not accept the credential (HTTP 401): apply the plane with a token that is still valid; a ClusterRegistration does so by itself"))
		Expect(h.events()).To(ContainElement(HavePrefix("Warning Unauthorized ")))
		edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Data["config"] = before.Data["config"] })
		h.available(plane)
	})

	It("keeps the cluster Secret of a plane that is away, and asks ever less often", func(ctx SpecContext) {
		h := newHarness(ctx)
		server := httptest.NewTLSServer(http.NotFoundHandler())
		given := data(h.token())
		given["server"] = []byte(server.URL)
		server.Close()
		plane := h.settle(h.make("edge", given), metav1.ConditionFalse, v1alpha1.ReasonConnectionFailed)
		Expect(h.clusterSecrets()).To(HaveLen(1))
		h.calls.made = nil
		start := h.clock.Now()
		for h.clock.Now().Sub(start) < time.Hour {
			Expect(h.once(client.ObjectKeyFromObject(plane)).RequeueAfter).To(BeNumerically(">", 0))
		}
		Expect(len(h.calls.made)).To(BeNumerically("<", 25))

		By("not asking at all before it is time")
		h.calls.made = nil
		for range 10 {
			live := &v1alpha1.CCLInfraPlane{}
			Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(plane), live)).To(Succeed())
			_, err := h.reconciler.Reconcile(ctx, live)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(len(h.calls.made)).To(BeNumerically("<=", 1))
	})

	It("is not made twice where a registration makes it", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		h.calls.made = nil
		for range 10 {
			// What a registration's check does, over the same connection.
			conn := h.connection(plane)
			_, err := conn.WhoAmI(ctx)
			Expect(err).NotTo(HaveOccurred())
			h.once(client.ObjectKeyFromObject(plane))
		}
		Expect(h.calls.made).To(HaveLen(10), "only the registration has asked")
	})
})

var _ = Describe("A plane of the operator's own cluster", func() {
	It("needs the manager's leave", func(ctx SpecContext) {
		h := newHarness(ctx)
		h.settle(h.bare("hub", ""), metav1.ConditionFalse, v1alpha1.ReasonReferenceNotPermitted)
		Expect(h.clusterSecrets()).To(BeEmpty())
	})

	It("is a destination without a Secret, but for namespaces that are not the tenant's", func(ctx SpecContext) {
		h := newHarness(ctx, func(o *infraplane.Options) { o.AllowInCluster, o.ManagerNamespace = true, "ccluster-system" })
		plane := h.available(h.bare("hub", ""))
		Expect(plane.Status.Server).To(Equal("https://kubernetes.default.svc"))
		Expect(plane.Status.ArgoCDSecretName).To(BeEmpty())
		Expect(h.clusterSecrets()).To(BeEmpty())
		destinations, _, err := unstructured.NestedSlice(h.project().Object, "spec", "destinations")
		Expect(err).NotTo(HaveOccurred())
		for _, namespace := range []string{h.argo, "ccluster-system", "kube-system", "kube-public", "kube-node-lease"} {
			Expect(destinations).To(ContainElement(map[string]any{"server": "https://kubernetes.default.svc", "namespace": "!" + namespace}))
		}
		for _, d := range destinations {
			destination, ok := d.(map[string]any)
			Expect(ok).To(BeTrue())
			Expect(destination["namespace"]).To(HavePrefix("!"))
			Expect(destination["namespace"]).NotTo(Equal("!" + h.namespace))
		}
	})
})
