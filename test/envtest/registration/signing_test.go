// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// resignings are what the plane is asked to write for a token under the new key, by the kind of
// token: what holds the new one, and the mark on what held the old one.
var resignings = map[v1alpha1.TokenType][]string{
	v1alpha1.TokenLongLived: {"patch secrets", "patch secrets"},
	v1alpha1.TokenBound:     {"patch secrets", "create serviceaccounts/token", "patch secrets"},
}

var _ = Describe("A signing key of an infra plane that was replaced", Ordered, ContinueOnFailure, func() {
	var b *bench
	var plane *localplane.Plane
	registrations := map[string]*v1alpha1.ClusterRegistration{}
	tokens := map[string]string{}
	kinds := []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound}
	name := func(kind v1alpha1.TokenType, kubeconfig string) string {
		return strings.ToLower(string(kind)) + "-" + kubeconfig
	}

	// The API server is restarted for it, and forgets which tokens it has accepted: one
	// replacement serves all specs.
	BeforeAll(func(ctx SpecContext) {
		plane = testenv.Planes(GinkgoTB(), localplane.Options{Name: "signing"})[0]
		b = newBench(ctx, func(o *registration.Options) { o.AllowDuplicateClusters = true })
		b.moveTo(plane)
		for _, kind := range kinds {
			for _, kubeconfig := range []string{"kept", "removed", "token"} {
				front := b.frontOf(plane)
				if kubeconfig == "token" {
					b.kubeconfig = b.tokenKubeconfig(plane, front)
				}
				reg := b.bringUp(name(kind, kubeconfig), func(r *v1alpha1.ClusterRegistration) {
					r.Spec.Token = &v1alpha1.Token{Type: kind}
				})
				_, cred := b.credential(reg)
				registrations[reg.Name], tokens[reg.Name] = reg, cred.Config.BearerToken
			}
		}
		Expect(plane.RotateServiceAccountKey(ctx)).To(Succeed())
		for _, reg := range registrations {
			_, cred := b.credential(reg)
			Expect(apierrors.IsUnauthorized(cred.client().List(ctx, &corev1.NodeList{}))).To(BeTrue(), reg.Name)
		}
	})

	for _, kind := range kinds {
		It(string(kind)+": is noticed by one check, and repaired with the bootstrap Secret", func(ctx SpecContext) {
			b.ctx = ctx
			reg := registrations[name(kind, "kept")]
			b.expectResigned(reg, kind, tokens[reg.Name])
		})

		It(string(kind)+": is reported without the bootstrap Secret, and repaired once there is one again", func(ctx SpecContext) {
			b.ctx = ctx
			reg := registrations[name(kind, "removed")]
			file := &corev1.Secret{}
			Expect(b.kube.Get(ctx, client.ObjectKeyFromObject(kubeconfigSecret(reg)), file)).To(Succeed())
			b.removeBootstrap(reg)
			b.forgetPast()
			b.expectBootstrapRequired(reg, damage{lost: &everything}, v1alpha1.ConditionTokenIssued)
			_, cred := b.credential(reg)
			Expect(cred.Config.BearerToken).To(Equal(tokens[reg.Name]), "there is nothing better")
			b.bootstrap(file.Name, file.Data["kubeconfig"])
			b.expectResigned(reg, kind, tokens[reg.Name])
		})

		It(string(kind)+": is reported when the kubeconfig had a token that died too, and repaired with another kubeconfig", func(ctx SpecContext) {
			b.ctx = ctx
			reg := registrations[name(kind, "token")]
			b.forgetPast()
			b.must(client.ObjectKeyFromObject(reg))
			b.refresh(reg)
			issued := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionTokenIssued)
			Expect([]string{string(issued.Status), issued.Reason, issued.Message}).To(Equal([]string{
				"False", v1alpha1.ReasonBootstrapRequired,
				"The registration's own token is no longer accepted: create Secret " + reg.Name + "-kubeconfig with an admin kubeconfig of the cluster again",
			}))
			Expect(writesOf(b.onInfra.take())).To(BeEmpty())

			By("saying it once")
			b.forgetPast()
			for range 3 {
				b.must(client.ObjectKeyFromObject(reg))
			}
			Expect(writesOf(b.onInfra.take())).To(BeEmpty())
			Expect(b.onControl.take()).To(BeEmpty())
			Expect(b.events()).To(BeEmpty())

			b.frontOf(plane)
			edit(ctx, b.kube, kubeconfigSecret(reg), func(s *corev1.Secret) { s.Data["kubeconfig"] = b.kubeconfig })
			b.expectResigned(reg, kind, tokens[reg.Name])
		})
	}
})

// expectResigned does one check, waits for the plane to issue another token, and looks at what
// that took and what is left.
func (b *bench) expectResigned(reg *v1alpha1.ClusterRegistration, kind v1alpha1.TokenType, old string) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(reg)
	b.refresh(reg)
	dead := tokenSecret.find(b, reg)
	if kind == v1alpha1.TokenLongLived {
		secret := &corev1.Secret{}
		Expect(b.plane.Get(b.ctx, client.ObjectKeyFromObject(dead), secret)).To(Succeed())
		Expect(string(secret.Data[corev1.ServiceAccountTokenKey])).To(Equal(old), "the token controller signs nothing anew")
	}
	b.forgetPast()
	result, err := b.once(key)
	Expect(err).NotTo(HaveOccurred())
	Eventually(func(g Gomega) {
		// The token controller takes its time; these are no checks.
		if result.RequeueAfter < b.checkPeriod()/2 {
			result, err = b.once(key)
			g.Expect(err).NotTo(HaveOccurred())
		}
		b.refresh(reg)
		g.Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue(), "%v", reg.Status.Conditions)
	}).Should(Succeed())
	writes, events := writesOf(b.onInfra.take()), b.events()
	AddReportEntry("repair", fmt.Sprintf("%v, %v", writes, events), ReportEntryVisibilityFailureOrVerbose)
	Expect(writes).To(Equal(resignings[kind]))
	Expect(eventsOf("TokenStored", events)).To(Equal([]string{"Normal TokenStored A new " + string(kind) + " token was accepted by the infra plane and stored"}))
	Expect(repairsIn(events)).To(BeEmpty(), "nothing else was damaged")

	_, cred := b.credential(reg)
	Expect(cred.Config.BearerToken).NotTo(Equal(old))
	Expect(b.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
	Expect(can(b.ctx, cred.client(), "*", "*.*", "", "")).To(BeTrue())
	Expect(reg.Status.Token.SecretName).NotTo(Equal(dead.GetName()), "a name is never used again")

	By("withdrawing what is left of the old one, and then doing nothing more")
	for range audit {
		b.must(key)
	}
	Expect(apierrors.IsNotFound(b.plane.Get(b.ctx, client.ObjectKeyFromObject(dead), dead))).To(BeTrue())
	left := b.tokenSecrets(reg)
	Expect(left).To(HaveLen(1))
	Expect(left[0].Name).To(Equal(reg.Status.Token.SecretName))
	b.forgetPast()
	for range audit {
		b.must(key)
	}
	Expect(writesOf(b.onInfra.take())).To(BeEmpty())
	Expect(b.onControl.take()).To(BeEmpty())
	Expect(b.events()).To(BeEmpty())
}
