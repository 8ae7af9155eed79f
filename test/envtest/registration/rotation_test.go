// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// rotated does passes until another token than before is stored, and returns it.
func (h *harness) rotated(reg *v1alpha1.ClusterRegistration, before credential) credential {
	GinkgoHelper()
	var now credential
	Eventually(func(g Gomega) {
		_, err := h.once(client.ObjectKeyFromObject(reg))
		g.Expect(err).NotTo(HaveOccurred())
		_, now = h.credential(reg)
		g.Expect(now.Config.BearerToken).NotTo(Equal(before.Config.BearerToken))
	}).Should(Succeed())
	return now
}

func (h *harness) tokenSecrets(reg *v1alpha1.ClusterRegistration) []corev1.Secret {
	GinkgoHelper()
	list := &corev1.SecretList{}
	Expect(h.plane.List(h.ctx, list, client.MatchingLabels(h.marker(reg).Labels()))).To(Succeed())
	return list.Items
}

// expectOverlap looks at a registration whose token has just been replaced: both tokens
// work, and after the overlap only the new one is left.
func (h *harness) expectOverlap(reg *v1alpha1.ClusterRegistration, before, after credential) {
	GinkgoHelper()
	user := "system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name
	Expect(h.whoami(before)).To(Equal(user))
	Expect(h.whoami(after)).To(Equal(user))
	Expect(after.Server).To(Equal(before.Server))
	Expect(after.Config.TLSClientConfig).To(Equal(before.Config.TLSClientConfig))
	Expect(h.tokenSecrets(reg)).To(HaveLen(2))

	h.clock.SetTime(h.clock.Now().Add(6 * time.Minute))
	h.ready(client.ObjectKeyFromObject(reg))
	left := h.tokenSecrets(reg)
	Expect(left).To(HaveLen(1))
	Expect(h.now(reg).Status.Token.SecretName).To(Equal(left[0].Name))
	Eventually(func() bool {
		return apierrors.IsUnauthorized(before.client().List(h.ctx, &corev1.NodeList{}))
	}).Should(BeTrue(), "the old token is refused")
	Expect(h.whoami(after)).To(Equal(user))
}

func (h *harness) now(reg *v1alpha1.ClusterRegistration) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	now := &v1alpha1.ClusterRegistration{}
	Expect(h.kube.Get(h.ctx, client.ObjectKeyFromObject(reg), now)).To(Succeed())
	return now
}

// rotate asks for another token.
func (h *harness) rotate(reg *v1alpha1.ClusterRegistration, value string) {
	GinkgoHelper()
	now := h.now(reg)
	patch := client.MergeFrom(now.DeepCopy())
	if now.Annotations == nil {
		now.Annotations = map[string]string{}
	}
	now.Annotations[v1alpha1.RotateRequestedAtAnnotation] = value
	Expect(h.kube.Patch(h.ctx, now, patch)).To(Succeed())
}

var _ = Describe("A token", func() {
	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		of := func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: kind} }

		It("is replaced when that is asked for: "+string(kind), func(ctx SpecContext) {
			h := newHarness(ctx)
			reg := h.register("edge", of)
			_, before := h.credential(reg)
			h.clock.SetTime(h.clock.Now().Add(2 * time.Minute))
			h.rotate(reg, "2026-12-01T00:00:00Z")
			after := h.rotated(reg, before)
			h.expectOverlap(reg, before, after)

			By("not replacing it again for the same request, restarted or not")
			h.restart()
			for range 12 {
				_, err := h.once(client.ObjectKeyFromObject(reg))
				Expect(err).NotTo(HaveOccurred())
			}
			_, still := h.credential(reg)
			Expect(still).To(Equal(after))
		})

		It("is replaced when the spec asks for another: "+string(kind), func(ctx SpecContext) {
			other := map[v1alpha1.TokenType]v1alpha1.TokenType{
				v1alpha1.TokenLongLived: v1alpha1.TokenBound, v1alpha1.TokenBound: v1alpha1.TokenLongLived,
			}[kind]
			h := newHarness(ctx)
			reg := h.register("edge", of)
			_, before := h.credential(reg)
			now := h.now(reg)
			patch := client.MergeFrom(now.DeepCopy())
			now.Spec.Token.Type = other
			Expect(h.kube.Patch(ctx, now, patch)).To(Succeed())
			after := h.rotated(reg, before)
			Expect(h.ready(client.ObjectKeyFromObject(reg)).Status.Token.Type).To(Equal(other))
			h.expectOverlap(reg, before, after)
		})
	}

	It("is renewed at about four fifths of the life that the plane granted", func(ctx SpecContext) {
		h := newHarness(ctx)
		reg := h.register("edge", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound, ExpirationSeconds: 3600}
		})
		_, before := h.credential(reg)
		start := h.clock.Now()
		after := h.rotated(reg, before)
		Expect(h.clock.Now().Sub(start)).To(And(BeNumerically(">", 40*time.Minute), BeNumerically("<", 54*time.Minute)))
		h.expectOverlap(reg, before, after)
	})

	It("is renewed with its own rights when the admin kubeconfig has been removed", func(ctx SpecContext) {
		h := newHarness(ctx)
		reg := h.register("edge", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound, ExpirationSeconds: 3600}
			r.Spec.Bootstrap.AfterRegistration = v1alpha1.AfterRegistrationDelete
		})
		Expect(apierrors.IsNotFound(h.kube.Get(ctx, client.ObjectKey{Namespace: h.namespace, Name: "edge-kubeconfig"}, &corev1.Secret{}))).To(BeTrue())
		_, before := h.credential(reg)
		h.expectOverlap(reg, before, h.rotated(reg, before))
	})
})
