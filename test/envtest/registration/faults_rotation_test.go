// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// rotators are the accounts whose rotations are cut off: one does it with its own token, the
// other's takes the bootstrap Secret.
var rotators = map[string]*v1alpha1.Access{"by itself": nil, "with the bootstrap Secret": asViewer}

var _ = Describe("A reconciler killed at any call of a rotation", Serial, func() {
	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		for who, access := range rotators {
			for _, before := range []bool{true, false} {
				if access != nil && before != (kind == v1alpha1.TokenLongLived) {
					// What differs is whose credential it is, not what happens to a call.
					continue
				}
				when := map[bool]string{true: "before the call", false: "after the call"}[before]
				It(fmt.Sprintf("ends with one live token: %s, %s, %s", kind, who, when), func(ctx SpecContext) {
					f := &fuse{}
					h := newFusedHarness(ctx, f)
					name := "edge"
					h.options.ControlPlaneID = h.namespace
					h.bootstrap(name+"-kubeconfig", frontKubeconfig(f.front(), name, h.adminToken(ctx)))
					reg := h.registration(name, func(r *v1alpha1.ClusterRegistration) {
						r.Spec.Token, r.Spec.Access = &v1alpha1.Token{Type: kind}, access
					})
					Expect(h.kube.Create(ctx, reg)).To(Succeed())
					h.replace()
					h.removeAfter(reg)
					h.ready(client.ObjectKeyFromObject(reg))

					var former []credential
					survived := 0
					for at := 1; at <= maxCalls; at++ {
						By(fmt.Sprintf("killing it at call %d", at))
						_, old := h.credential(reg)
						h.rotate(reg, fmt.Sprintf("2026-12-01T00:00:%02dZ", at))
						f.arm(at, before)
						h.runRotation(f, reg, old)
						killed := f.isBlown()
						f.arm(0, false)
						h.replace()
						h.runRotation(f, reg, old)
						h.expectOneToken(reg)
						former = append(former, old)
						if !killed {
							break
						}
						survived++
					}
					AddReportEntry("killed", fmt.Sprintf("%s, %s, %s: %d kills", kind, who, when, survived), ReportEntryVisibilityAlways)
					Expect(survived).To(And(BeNumerically(">", 8), BeNumerically("<", maxCalls)))
					for _, cred := range former {
						Eventually(func() bool {
							return apierrors.IsUnauthorized(cred.client().List(ctx, &corev1.PodList{}))
						}).Should(BeTrue(), "a former token is refused")
					}
				})
			}
		}
	}
})

// runRotation does passes until the fuse blows, or another token than old is the only one left.
func (h *harness) runRotation(f *fuse, reg *v1alpha1.ClusterRegistration, old credential) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		// What a dying process returns is nobody's business.
		_, _ = h.once(client.ObjectKeyFromObject(reg))
		if f.isBlown() {
			return
		}
		_, now := h.credential(reg)
		g.Expect(now.Config.BearerToken).NotTo(Equal(old.Config.BearerToken))
		g.Expect(h.tokenSecrets(reg)).To(HaveLen(1))
		g.Expect(isReady(h.now(reg))).To(BeTrue())
	}).Should(Succeed())
}

// expectOneToken looks past all caches.
func (h *harness) expectOneToken(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	left, live := h.tokenSecrets(reg), h.now(reg)
	Expect(left).To(HaveLen(1))
	Expect(live.Status.Token.SecretName).To(Equal(left[0].Name))
	stored, cred := h.credential(reg)
	Expect(stored.Annotations[v1alpha1.TokenSecretAnnotation]).To(Equal(left[0].Name))
	Expect(h.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
}
