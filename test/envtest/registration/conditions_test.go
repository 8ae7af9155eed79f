// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// failure is something that keeps a registration from getting Ready.
type failure struct {
	name string
	// arrange prepares it, and may change the registration that is going to be created. It
	// returns what puts it right.
	arrange   func(*bench, *v1alpha1.ClusterRegistration) (correct func(*v1alpha1.ClusterRegistration))
	condition string
	reason    string
	// message is a part of it.
	message string
	// dials tells that each attempt reaches for the plane.
	dials bool
	// wait is asked for after the first attempt. Default: a second if it dials, and then
	// threefold, else the time between two checks.
	wait time.Duration
}

// badKubeconfig is a failure by a kubeconfig that is replaced by a good one.
func badKubeconfig(file func(*bench) []byte) func(*bench, *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
	return func(b *bench, _ *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
		GinkgoHelper()
		b.kubeconfig = file(b)
		return func(reg *v1alpha1.ClusterRegistration) { b.replaceKubeconfig(reg, infra.Kubeconfig()) }
	}
}

func (b *bench) replaceKubeconfig(reg *v1alpha1.ClusterRegistration, file []byte) {
	GinkgoHelper()
	key := types.NamespacedName{Namespace: reg.Namespace, Name: reg.Name + "-kubeconfig"}
	b.witness.knowFile(file)
	edit(b.ctx, b.kube, named(&corev1.Secret{}, key), func(s *corev1.Secret) { s.Data = map[string][]byte{"kubeconfig": file} })
}

// withText is an administrator's kubeconfig in which a text is replaced.
func withText(from, to string) func(*bench) []byte {
	return func(*bench) []byte {
		GinkgoHelper()
		file := string(infra.Kubeconfig())
		Expect(file).To(ContainSubstring(from))
		return []byte(strings.Replace(file, from, to, 1))
	}
}

// badSpec is a failure by a field of the spec that is removed again.
func badSpec(change func(*bench, *v1alpha1.ClusterRegistration)) func(*bench, *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
	return func(b *bench, reg *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
		good := reg.DeepCopy()
		change(b, reg)
		return func(reg *v1alpha1.ClusterRegistration) {
			GinkgoHelper()
			edit(b.ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { r.Spec.Endpoint = good.Spec.Endpoint })
		}
	}
}

// impostor is a failure by a server that answers in the plane's place who a token is for.
func impostor(answer http.HandlerFunc) func(*bench, *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
	return func(b *bench, reg *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
		GinkgoHelper()
		// A Bound token is there at once.
		reg.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound}
		return badKubeconfig(func(b *bench) []byte { return b.impostor(answer) })(b, reg)
	}
}

var failures = []failure{
	{
		name: "bootstrap Secret missing", condition: v1alpha1.ConditionBootstrapAccepted, reason: v1alpha1.ReasonReferenceNotFound,
		message: "Secret edge-kubeconfig does not exist: create it",
		arrange: func(b *bench, _ *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			b.kubeconfig = nil
			return func(*v1alpha1.ClusterRegistration) { b.bootstrap("edge-kubeconfig", infra.Kubeconfig()) }
		},
	},
	{
		name: "bootstrap Secret without a usable key", condition: v1alpha1.ConditionBootstrapAccepted, reason: v1alpha1.ReasonKubeconfigRejected,
		message: "Secret edge-kubeconfig: bootstrap.kubeconfigSecretRef.key must be set",
		arrange: func(b *bench, _ *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			GinkgoHelper()
			edit(b.ctx, b.kube, b.bootstrap("edge-kubeconfig", nil), func(s *corev1.Secret) {
				s.Data = map[string][]byte{"file": infra.Kubeconfig()}
			})
			b.kubeconfig = nil
			return func(reg *v1alpha1.ClusterRegistration) {
				GinkgoHelper()
				edit(b.ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { r.Spec.Bootstrap.KubeconfigSecretRef.Key = "file" })
			}
		},
	},
	{
		name: "kubeconfig that would run a program", condition: v1alpha1.ConditionBootstrapAccepted, reason: v1alpha1.ReasonKubeconfigRejected,
		message: "Secret edge-kubeconfig: users[0].user.exec would run a program inside the manager",
		arrange: badKubeconfig(withText("client-certificate-data:", "exec: {apiVersion: client.authentication.k8s.io/v1, command: touch}\n    client-certificate-data:")),
	},
	{
		name: "kubeconfig with a proxy", condition: v1alpha1.ConditionBootstrapAccepted, reason: v1alpha1.ReasonKubeconfigRejected,
		message: "clusters[0].cluster.proxy-url is not allowed",
		arrange: badKubeconfig(withText("server:", "proxy-url: http://127.0.0.1:1\n    server:")),
	},
	{
		name: "proxy in the spec", condition: v1alpha1.ConditionBootstrapAccepted, reason: v1alpha1.ReasonReferenceNotPermitted,
		message: "`spec.endpoint.proxyURL` needs the manager's --allow-proxy",
		arrange: badSpec(func(_ *bench, r *v1alpha1.ClusterRegistration) {
			r.Spec.Endpoint = &v1alpha1.Endpoint{ProxyURL: new("http://127.0.0.1:1")}
		}),
	},
	{
		name: "authority in the spec that is none", condition: v1alpha1.ConditionBootstrapAccepted, reason: v1alpha1.ReasonInvalidSpec,
		message: "`spec.endpoint.caBundle`: caBundle must be PEM",
		arrange: badSpec(func(_ *bench, r *v1alpha1.ClusterRegistration) {
			r.Spec.Endpoint = &v1alpha1.Endpoint{CABundle: []byte("no authority")}
		}),
	},
	{
		name: "in-cluster address", condition: v1alpha1.ConditionBootstrapAccepted, reason: v1alpha1.ReasonReferenceNotPermitted,
		message: "use `spec.inCluster`",
		arrange: badKubeconfig(func(*bench) []byte {
			cfg := infra.Config()
			cfg.Host = "https://Kubernetes.default.svc.:443/"
			return kubeconfigOf(cfg)
		}),
	},
	{
		name: "address that the manager denies", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonAddressDenied, dials: true,
		message: "is on the manager's deny-list: use another address",
		arrange: func(b *bench, _ *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			b.dial(remote.Policy{})
			return func(*v1alpha1.ClusterRegistration) { b.dial(loopbackPolicy()) }
		},
	},
	{
		name: "server that refuses connections", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonConnectionFailed, dials: true,
		message: ": The server refused the connection: check",
		arrange: badKubeconfig(func(b *bench) []byte {
			Expect(b.through().Close()).To(Succeed())
			return b.kubeconfig
		}),
	},
	{
		name: "server that accepts and says nothing", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonConnectionFailed, dials: true,
		message: ": The server did not answer in time: check",
		arrange: func(b *bench, _ *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
			front := b.through()
			front.Pause()
			hasty := loopbackPolicy()
			hasty.TLSTimeout = 50 * time.Millisecond
			b.dial(hasty)
			return func(*v1alpha1.ClusterRegistration) {
				front.Resume()
				b.dial(loopbackPolicy())
			}
		},
	},
	{
		name: "certificate of another authority", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonTLSFailed, dials: true,
		message: ": The server's certificate is not signed by the expected authority: correct `spec.endpoint.caBundle`",
		arrange: badKubeconfig(func(*bench) []byte { return trusting(control.CAData()) }),
	},
	{
		name: "certificate for another name", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonTLSFailed, dials: true,
		message: ": The server's certificate is not valid for the server's name: correct",
		arrange: badSpec(func(_ *bench, r *v1alpha1.ClusterRegistration) {
			r.Spec.Endpoint = &v1alpha1.Endpoint{TLSServerName: new("edge.example.com")}
		}),
	},
	{
		name: "web page", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonNotAKubernetesAPI, dials: true,
		message: ": The server does not answer as a Kubernetes API server (HTTP 200): correct the server",
		arrange: badKubeconfig(func(*bench) []byte {
			return stub(answering(http.StatusOK, map[string]string{"Content-Type": "text/html"}, "<html>canary</html>"))
		}),
	},
	{
		name: "empty answer", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonNotAKubernetesAPI, dials: true,
		message: "The server does not answer as a Kubernetes API server",
		arrange: badKubeconfig(func(*bench) []byte {
			return stub(answering(http.StatusOK, map[string]string{"Content-Type": "application/json"}, "{}"))
		}),
	},
	{
		name: "redirect", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonNotAKubernetesAPI, dials: true,
		message: "redirect, which is not followed (HTTP 302)",
		arrange: badKubeconfig(func(*bench) []byte {
			return stub(answering(http.StatusFound, map[string]string{"Location": infra.Server()}, ""))
		}),
	},
	{
		name: "server that asks to come back later", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonTooManyRequests, dials: true,
		message: "The server asks for fewer requests (HTTP 429)", wait: 100 * time.Second,
		arrange: badKubeconfig(func(*bench) []byte {
			return stub(answering(http.StatusTooManyRequests, map[string]string{"Retry-After": "100"}, "canary"))
		}),
	},
	{
		name: "server that fails", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonServerError, dials: true,
		message: "The server failed to handle the request (HTTP 503): check the API server",
		arrange: badKubeconfig(func(*bench) []byte { return stub(answering(http.StatusServiceUnavailable, nil, "canary")) }),
	},
	{
		name: "credential that is not accepted", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonUnauthorized, dials: true,
		message: "The server does not accept the credential (HTTP 401): replace the bootstrap kubeconfig",
		arrange: badKubeconfig(func(*bench) []byte { return asToken("no.such.token") }),
	},
	{
		name: "credential without rights", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonForbidden, dials: true,
		message: "Reading Namespace kube-system: The credential does not have the required permission (HTTP 403): use a bootstrap kubeconfig of an administrator",
		arrange: badKubeconfig(func(b *bench) []byte { return b.asUser() }),
	},
	{
		name: "credential with too few rights", condition: v1alpha1.ConditionAuthorized, reason: v1alpha1.ReasonForbidden, dials: true,
		message: "The credential does not have the required permission (HTTP 403): use a bootstrap kubeconfig of an administrator",
		arrange: badKubeconfig(func(b *bench) []byte { return b.asUser(ruleFor("", []string{"namespaces"}, "get")) }),
	},
	{
		name: "credential that may not pass its rights on", condition: v1alpha1.ConditionAuthorized, reason: v1alpha1.ReasonEscalationForbidden, dials: true,
		message: "The server refuses to grant permissions that the credential does not hold itself (HTTP 403): use",
		arrange: badKubeconfig(func(b *bench) []byte {
			return b.asUser(
				ruleFor("", []string{"namespaces", "configmaps", "serviceaccounts"}, "get", "create", "patch"),
				ruleFor("rbac.authorization.k8s.io", []string{"clusterrolebindings"}, "get", "create", "patch"),
			)
		}),
	},
	{
		name: "server that tells everybody the credential", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonForbidden, dials: true,
		message: "The credential does not have the required permission (HTTP 403)",
		arrange: badKubeconfig(func(*bench) []byte { return stub(echoing(http.StatusForbidden)) }),
	},
	{
		name: "proxy with a password", condition: v1alpha1.ConditionBootstrapAccepted, reason: v1alpha1.ReasonKubeconfigRejected,
		message: "clusters[0].cluster.proxy-url is not allowed; remove it, or ask",
		arrange: badKubeconfig(withText("server:", "proxy-url: http://user:"+stubToken+"@127.0.0.1:1\n    server:")),
	},
	{
		name: "server that never ends its answer", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonNotAKubernetesAPI, dials: true,
		message: "The server's answer is too large",
		arrange: badKubeconfig(func(*bench) []byte { return stub(endless) }),
	},
	{
		name: "server that answers drop by drop", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonConnectionFailed, dials: true,
		message: "The server did not answer in time",
		arrange: badKubeconfig(func(*bench) []byte { return stub(dripping) }),
	},
	{
		name: "server that hangs up in the middle", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonConnectionFailed, dials: true,
		message: "The connection ended before the answer was complete",
		arrange: badKubeconfig(func(*bench) []byte { return stub(hangingUp) }),
	},
	{
		name: "server that lies about its version", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonNotAKubernetesAPI, dials: true,
		message: "The server does not answer as a Kubernetes API server",
		arrange: badKubeconfig(func(*bench) []byte {
			return stub(answering(http.StatusOK, map[string]string{"Content-Type": "application/json"},
				`{"major":"1","minor":"37","gitVersion":"v1.37.2\u0007\u001b[31m`+strings.Repeat("x", 1<<20)+`"}`))
		}),
	},
	{
		name: "server that lies about its identity", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonNotAKubernetesAPI, dials: true,
		message: "The server does not answer as a Kubernetes API server",
		arrange: badKubeconfig(func(*bench) []byte { return stub(lying) }),
	},
	{
		name: "server that says yes to everything", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonNotAKubernetesAPI, dials: true,
		message: "The server does not answer as a Kubernetes API server",
		arrange: badKubeconfig(func(*bench) []byte { return stub(agreeing) }),
	},
	{
		name: "server that speaks no TLS", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonTLSFailed, dials: true,
		message: "The TLS handshake with the server failed",
		arrange: badKubeconfig(func(*bench) []byte { return withoutTLS() }),
	},
	{
		name: "certificate that has expired", condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonTLSFailed, dials: true,
		message: "The server's certificate has expired or is not yet valid",
		arrange: badKubeconfig(func(*bench) []byte { return expired() }),
	},
	{
		name: "token that the endpoint refuses", condition: v1alpha1.ConditionTokenIssued, reason: v1alpha1.ReasonTokenRejected, dials: true,
		message: "check that `spec.endpoint.server` is the same cluster as the kubeconfig's",
		arrange: impostor(answering(http.StatusUnauthorized, nil, "canary")),
	},
	{
		name: "token that the endpoint takes for somebody else", condition: v1alpha1.ConditionTokenIssued, reason: v1alpha1.ReasonTokenRejected, dials: true,
		message: "check that `spec.endpoint.server` is the same cluster as the kubeconfig's",
		arrange: impostor(reviewOf("canary")),
	},
}

var _ = Describe("What keeps a registration from Ready", func() {
	for _, f := range failures {
		It("is told once, in one condition: "+f.name, func(ctx SpecContext) {
			b := newBench(ctx)
			b.expectFailureAndRecovery(f)
		})
	}
})

// expectFailureAndRecovery creates a registration that fails, and then puts right why.
func (b *bench) expectFailureAndRecovery(f failure) {
	GinkgoHelper()
	reg := b.registration("edge")
	correct := f.arrange(b, reg)
	if b.kubeconfig != nil {
		b.bootstrap("edge-kubeconfig", b.kubeconfig)
	}
	Expect(b.kube.Create(b.ctx, reg)).To(Succeed())
	b.removeAfter(reg)
	b.expectFailure(reg, f)

	By("getting Ready once it is put right")
	correct(reg)
	b.ready(client.ObjectKeyFromObject(reg))
}

// expectFailure follows a registration that cannot get Ready from its first pass on.
func (b *bench) expectFailure(reg *v1alpha1.ClusterRegistration, f failure) {
	GinkgoHelper()
	wait := b.pass(reg).RequeueAfter
	message := b.expectStopped(reg, f.condition, f.reason)
	Expect(message).To(ContainSubstring(f.message))
	Expect(message).NotTo(ContainSubstring("canary"))
	b.expectEvents(reg, f)

	By("waiting")
	expected, backoff := b.checkPeriod(), time.Second
	var attempt []string
	for n := range 4 {
		if f.dials {
			expected = max(f.wait, backoff)
			backoff *= 3
		}
		Expect(wait).To(Equal(expected))
		calls := b.onInfra.take()
		// A literal address that is denied is not even tried.
		if f.dials && f.reason != v1alpha1.ReasonAddressDenied {
			Expect(calls).NotTo(BeEmpty())
		} else {
			Expect(calls).To(BeEmpty())
		}
		if n > 1 && f.condition != v1alpha1.ConditionTokenIssued {
			// What the first attempt has made is there in the second; tokens are never used twice.
			Expect(calls).To(Equal(attempt))
		}
		attempt = calls
		b.onControl.take()
		b.advance(wait - time.Millisecond)
		early := b.pass(reg).RequeueAfter
		Expect(b.onInfra.take()).To(BeEmpty(), "nothing is dialled before its time")
		if f.dials {
			Expect(early).To(Equal(time.Millisecond))
		}

		By("trying again, and saying nothing new")
		b.advance(time.Millisecond)
		wait = b.pass(reg).RequeueAfter
		Expect(b.onControl.take()).To(BeEmpty())
		Expect(b.events()).To(BeEmpty())
	}
}

// expectEvents are one for each condition that has become True or False, and for Ready.
func (b *bench) expectEvents(reg *v1alpha1.ClusterRegistration, f failure) {
	GinkgoHelper()
	var wanted []string
	for _, c := range reg.Status.Conditions {
		switch {
		case c.Type == f.condition || c.Type == v1alpha1.ConditionReady:
			wanted = append(wanted, "Warning "+f.reason+" "+c.Type+" is False: "+c.Message)
		case c.Status == metav1.ConditionTrue && c.Reason != v1alpha1.ReasonNotRequested:
			text := "Normal " + c.Reason + " " + c.Type + " is True"
			if c.Message != "" {
				text += ": " + c.Message
			}
			wanted = append(wanted, text)
		}
	}
	Expect(b.events()).To(ConsistOf(wanted))
}
