// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// credentialsOf writes what a scope says and reads it back.
func credentialsOf(t *testing.T, r *Reconciler, s *scope) *corev1.Secret {
	t.Helper()
	g := NewWithT(t)
	c := ccluster.NewClient(r.client, regKey.Namespace, ccluster.WithFieldManager(Owner), ccluster.WithController(s.reg))
	_, err := c.ApplyInfraPlane(t.Context(), regKey.Name, s.infraPlane())
	g.Expect(err).NotTo(HaveOccurred())
	secret := &corev1.Secret{}
	g.Expect(r.client.Get(t.Context(), s.objectKey("edge-1-credentials"), secret)).To(Succeed())
	return secret
}

func TestInfraPlaneOfARegistration(t *testing.T) {
	g := NewWithT(t)
	_, s := issued(t)
	s.reg.Spec.ClusterLabels = map[string]v1alpha1.LabelValue{"tier": "edge"}
	s.reg.Spec.ClusterAnnotations = map[string]v1alpha1.AnnotationValue{"note": "n"}
	s.reg.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound}
	s.reg.Spec.Access = &v1alpha1.Access{ClusterResources: v1alpha1.ClusterResourcesInclude}
	s.wanted.Namespaces = []string{"a", "b"}
	s.token.ExpiresAt, s.renewAt = now.Add(time.Hour), now.Add(48*time.Minute)
	s.inputs = inputs{spec: "abc", bootstrap: "def"}

	p := s.infraPlane()
	g.Expect(p.Server).To(Equal("https://edge-1.example:6443"))
	g.Expect(p.TLSServerName).To(Equal("edge-1.internal"))
	g.Expect(p.ProxyURL).To(Equal("http://proxy.example:3128"))
	g.Expect(p.Insecure).To(BeTrue())
	g.Expect(p.Namespaces).To(Equal([]string{"a", "b"}))
	g.Expect(p.ClusterResources).To(BeTrue())
	g.Expect(p.BearerToken).To(Equal(canary))
	g.Expect(p.Finalizer).To(Equal("ccluster.nvidia.com/credentials"))
	g.Expect(p.Labels).To(Equal(map[string]string{"tier": "edge", "ccluster.nvidia.com/managed": "credentials"}))
	g.Expect(p.Annotations).To(Equal(map[string]string{
		"note":                                          "n",
		"ccluster.nvidia.com/generation":                "3",
		"ccluster.nvidia.com/token-type":                "Bound",
		"ccluster.nvidia.com/token-secret":              "ccluster-manager-token",
		"ccluster.nvidia.com/token-service-account-uid": "uid-account",
		"ccluster.nvidia.com/token-issued-at":           "2030-01-02T02:04:05Z",
		"ccluster.nvidia.com/token-expires-at":          "2030-01-02T04:04:05Z",
		"ccluster.nvidia.com/token-renew-at":            "2030-01-02T03:52:05Z",
		"ccluster.nvidia.com/token-inputs":              "abc.def",
	}))

	p.Namespaces[0] = "x"
	g.Expect(s.wanted.Namespaces).To(Equal([]string{"a", "b"}), "a copy, which is kept")
	s.reg.Spec.InCluster = &v1alpha1.InCluster{}
	g.Expect(s.infraPlane()).To(Equal(ccluster.InfraPlane{}))
}

// A registration's own metadata wins over what the spec says, whatever that says.
func TestReservedKeysAreNotTheSpecs(t *testing.T) {
	g := NewWithT(t)
	_, s := issued(t)
	s.reg.Spec.ClusterLabels = map[string]v1alpha1.LabelValue{v1alpha1.ManagedLabel: "mine"}
	s.reg.Spec.ClusterAnnotations = map[string]v1alpha1.AnnotationValue{v1alpha1.GenerationAnnotation: "99"}
	p := s.infraPlane()
	g.Expect(p.Labels[v1alpha1.ManagedLabel]).To(Equal("credentials"))
	g.Expect(p.Annotations[v1alpha1.GenerationAnnotation]).To(Equal("3"))
}

func TestStoredIsWhatWasWritten(t *testing.T) {
	for name, kind := range map[string]v1alpha1.TokenType{"long-lived": v1alpha1.TokenLongLived, "bound": v1alpha1.TokenBound} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := issued(t)
			s.reg.Spec.Token = &v1alpha1.Token{Type: kind}
			s.endpoint.Insecure, s.endpoint.CAData = false, newCA(t)
			if kind == v1alpha1.TokenBound {
				s.token.ExpiresAt, s.renewAt = now.Add(time.Hour), now.Add(48*time.Minute)
			}
			st := r.parseStored(s, credentialsOf(t, r, s))
			g.Expect(st).NotTo(BeNil())
			g.Expect(st.authentic).To(BeTrue())
			g.Expect(st.generation).To(Equal(s.reg.Generation))
			g.Expect(st.kind).To(Equal(kind))
			g.Expect(st.lastName).To(Equal("ccluster-manager-token"))
			g.Expect(st.endpoint()).To(Equal(s.endpoint))
			g.Expect(st.token.Value).To(Equal(canary))
			g.Expect(st.token.SecretName).To(Equal(s.token.SecretName))
			g.Expect(st.token.Account).To(Equal(s.token.Account))
			g.Expect(st.token.IssuedAt).To(Equal(s.token.IssuedAt))
			g.Expect(st.token.ExpiresAt).To(Equal(s.token.ExpiresAt))

			// A pass that works with what is stored writes the same again.
			later := r.newScope(s.reg, regKey)
			later.stored, later.endpoint, later.token = st, st.endpoint(), st.token
			later.inputs, later.renewAt = st.inputs, st.renewAt
			g.Expect(later.usable()).To(BeTrue())
			g.Expect(later.infraPlane()).To(Equal(s.infraPlane()))
		})
	}
}

func TestStoredIsNotTrustedAfterOthersWrites(t *testing.T) {
	annotate := func(key, value string) func(*corev1.Secret) {
		return func(s *corev1.Secret) { s.Annotations[key] = value }
	}
	drop := func(key string) func(*corev1.Secret) {
		return func(s *corev1.Secret) { delete(s.Annotations, key) }
	}
	for name, test := range map[string]struct {
		change    func(*corev1.Secret)
		authentic bool
		lastName  string
	}{
		"nothing":            {func(*corev1.Secret) {}, true, "ccluster-manager-token"},
		"another label":      {func(s *corev1.Secret) { s.Labels["theirs"] = "yes" }, true, "ccluster-manager-token"},
		"another annotation": {annotate("theirs", "yes"), true, "ccluster-manager-token"},
		"another key":        {func(s *corev1.Secret) { s.Data["name"] = []byte("theirs") }, true, "ccluster-manager-token"},
		"the server":         {func(s *corev1.Secret) { s.Data["server"] = []byte("https://evil.example") }, false, "ccluster-manager-token"},
		"the token": {func(s *corev1.Secret) {
			s.Data["config"] = []byte(strings.Replace(string(s.Data["config"]), canary, "other", 1))
		}, false, "ccluster-manager-token"},
		"the generation":      {annotate(v1alpha1.GenerationAnnotation, "4"), false, "ccluster-manager-token"},
		"no generation":       {drop(v1alpha1.GenerationAnnotation), false, "ccluster-manager-token"},
		"the type":            {annotate(v1alpha1.TokenTypeAnnotation, "Bound"), false, "ccluster-manager-token"},
		"no type":             {drop(v1alpha1.TokenTypeAnnotation), false, "ccluster-manager-token"},
		"the account":         {annotate(v1alpha1.TokenServiceAccountUIDAnnotation, "uid-other"), false, "ccluster-manager-token"},
		"no account":          {drop(v1alpha1.TokenServiceAccountUIDAnnotation), false, "ccluster-manager-token"},
		"when it was issued":  {annotate(v1alpha1.TokenIssuedAtAnnotation, "2040-01-01T00:00:00Z"), false, "ccluster-manager-token"},
		"what it was for":     {annotate(v1alpha1.TokenInputsAnnotation, "other.other"), false, "ccluster-manager-token"},
		"the token's Secret":  {annotate(v1alpha1.TokenSecretAnnotation, "other"), false, "other"},
		"no token's Secret":   {drop(v1alpha1.TokenSecretAnnotation), false, ""},
		"no content":          {func(s *corev1.Secret) { s.Data = nil }, false, "ccluster-manager-token"},
		"content that breaks": {func(s *corev1.Secret) { s.Data["config"] = []byte("{") }, false, "ccluster-manager-token"},
		"a way to run things": {func(s *corev1.Secret) {
			s.Data["config"] = []byte(strings.Replace(string(s.Data["config"]), "{", `{"execProviderConfig":{"command":"sh"},`, 1))
		}, false, "ccluster-manager-token"},
		"no record of writes": {func(s *corev1.Secret) { s.ManagedFields = []metav1.ManagedFieldsEntry{{}} }, false, "ccluster-manager-token"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := issued(t)
			secret := credentialsOf(t, r, s)
			test.change(secret)
			g.Expect(r.client.Update(t.Context(), secret, client.FieldOwner("kubectl-edit"))).To(Succeed())
			g.Expect(r.client.Get(t.Context(), client.ObjectKeyFromObject(secret), secret)).To(Succeed())
			st := r.parseStored(s, secret)
			g.Expect(st).NotTo(BeNil())
			g.Expect(st.authentic).To(Equal(test.authentic))
			g.Expect(st.lastName).To(Equal(test.lastName), "what may be left on the plane is known in any case")
			s.stored = st
			g.Expect(s.usable()).To(Equal(test.authentic))
		})
	}
}

// What another manager applies, with the same values, is shared and still ours.
func TestStoredMayBeShared(t *testing.T) {
	g := NewWithT(t)
	r, s := issued(t)
	secret := credentialsOf(t, r, s)
	g.Expect(r.client.Apply(t.Context(), corev1ac.Secret(secret.Name, secret.Namespace).WithData(secret.Data),
		client.FieldOwner("backup"), client.ForceOwnership)).To(Succeed())
	g.Expect(r.client.Get(t.Context(), client.ObjectKeyFromObject(secret), secret)).To(Succeed())
	g.Expect(r.parseStored(s, secret).authentic).To(BeTrue())
}

func TestStoredIsOfThisRegistration(t *testing.T) {
	for name, owners := range map[string][]metav1.OwnerReference{
		"nobody's":          nil,
		"another's":         {{Kind: "ClusterRegistration", Name: "edge-1", UID: "uid-other", Controller: new(true)}},
		"not controlled":    {{Kind: "ClusterRegistration", Name: "edge-1", UID: "uid-reg"}},
		"expressly not so ": {{Kind: "ClusterRegistration", Name: "edge-1", UID: "uid-reg", Controller: new(false)}},
	} {
		t.Run(name, func(t *testing.T) {
			r, s := issued(t)
			secret := credentialsOf(t, r, s)
			secret.OwnerReferences = owners
			NewWithT(t).Expect(r.parseStored(s, secret)).To(BeNil())
		})
	}
}

func TestLoadStored(t *testing.T) {
	g := NewWithT(t)
	r, s := issued(t)
	g.Expect(r.loadStored(t.Context(), s)).To(Succeed())
	g.Expect(s.stored).To(BeNil())
	g.Expect(s.usable()).To(BeFalse())
	credentialsOf(t, r, s)
	g.Expect(r.loadStored(t.Context(), s)).To(Succeed())
	g.Expect(s.usable()).To(BeTrue())
}

// A Secret that has lost its label is not in the cache; one that was never written need not
// be looked for elsewhere.
func TestLoadStoredLooksPastTheCache(t *testing.T) {
	g := NewWithT(t)
	r, s := issued(t)
	credentialsOf(t, r, s)
	r.client = newServer(t)
	g.Expect(r.loadStored(t.Context(), s)).To(Succeed())
	g.Expect(s.stored).To(BeNil())
	s.report.secretRef = "edge-1-credentials"
	g.Expect(r.loadStored(t.Context(), s)).To(Succeed())
	g.Expect(s.usable()).To(BeTrue())
}

func TestLoadStoredReportsErrors(t *testing.T) {
	g := NewWithT(t)
	r, s := issued(t)
	r.client = interceptor.NewClient(newServer(t), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return down()
		},
	})
	err := r.loadStored(t.Context(), s)
	g.Expect(apierrors.IsInternalError(err)).To(BeTrue())
}

func TestTimesOfTokens(t *testing.T) {
	g := NewWithT(t)
	g.Expect(parseTime("2030-01-02T03:04:05Z")).To(Equal(now))
	for _, text := range []string{"", "yesterday", "2030-01-02", "1893553445"} {
		g.Expect(parseTime(text)).To(BeZero(), text)
	}
	east := time.FixedZone("east", 3600)
	g.Expect(formatTime(now.In(east).Add(999 * time.Millisecond))).To(Equal("2030-01-02T03:04:05Z"))
	g.Expect(parseTime(formatTime(now))).To(Equal(now))
}

func TestTokenSettings(t *testing.T) {
	for name, test := range map[string]struct {
		token *v1alpha1.Token
		kind  v1alpha1.TokenType
		life  time.Duration
	}{
		"nothing":       {nil, "LongLived", 30 * 24 * time.Hour},
		"empty":         {&v1alpha1.Token{}, "LongLived", 30 * 24 * time.Hour},
		"long-lived":    {&v1alpha1.Token{Type: v1alpha1.TokenLongLived, ExpirationSeconds: 600}, "LongLived", 10 * time.Minute},
		"bound":         {&v1alpha1.Token{Type: v1alpha1.TokenBound}, "Bound", 30 * 24 * time.Hour},
		"bound, for 1h": {&v1alpha1.Token{Type: v1alpha1.TokenBound, ExpirationSeconds: 3600}, "Bound", time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			reg := newReg()
			reg.Spec.Token = test.token
			NewWithT(t).Expect(tokenType(reg)).To(Equal(test.kind))
			NewWithT(t).Expect(tokenLife(reg)).To(Equal(test.life))
		})
	}
}

// A time far away would keep a token from being renewed.
func TestTimesOfABoundTokenAreNotTrustedAfterOthersWrites(t *testing.T) {
	for _, key := range []string{v1alpha1.TokenExpiresAtAnnotation, v1alpha1.TokenRenewAtAnnotation} {
		t.Run(key, func(t *testing.T) {
			g := NewWithT(t)
			r, s := issued(t)
			s.reg.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound}
			s.endpoint.Insecure, s.endpoint.CAData = false, newCA(t)
			s.token.ExpiresAt, s.renewAt = now.Add(time.Hour), now.Add(48*time.Minute)
			secret := credentialsOf(t, r, s)
			g.Expect(r.parseStored(s, secret).authentic).To(BeTrue())
			secret.Annotations[key] = "2040-01-01T00:00:00Z"
			g.Expect(r.client.Update(t.Context(), secret, client.FieldOwner("somebody"))).To(Succeed())
			g.Expect(r.parseStored(s, secret).authentic).To(BeFalse())
		})
	}
}

// Whoever can write a Secret in our name cannot have its token sent elsewhere.
func TestStoredIsForTheServerOfTheStatusOrTheSpec(t *testing.T) {
	const here, there = "https://edge-1.example:6443", "https://edge-2.example:6443"
	for name, test := range map[string]struct {
		status, spec string
		want         bool
	}{
		"no status yet":          {"", "", true},
		"the status says so":     {here, "", true},
		"the spec says so":       {there, "https://EDGE-1.example:6443/", true},
		"nobody does":            {there, "", false},
		"nor does the spec":      {there, there, false},
		"the spec is unreadable": {there, "edge", false},
	} {
		t.Run(name, func(t *testing.T) {
			reg := newReg()
			if test.spec != "" {
				reg.Spec.Endpoint = &v1alpha1.Endpoint{Server: test.spec}
			}
			_, s := newScope(t, reg)
			s.report.server = test.status
			NewWithT(t).Expect(s.expects(here)).To(Equal(test.want))
		})
	}
}
