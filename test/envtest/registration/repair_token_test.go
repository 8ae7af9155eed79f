// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// death is a way for a token to become worthless.
type death struct {
	name string
	kind v1alpha1.TokenType
	do   func(*bench, *v1alpha1.ClusterRegistration)
	// along are objects that have to be made anew besides the token.
	along func(*v1alpha1.ClusterRegistration) []string
	// access is cluster-admin by default.
	access *v1alpha1.Access
}

func (d death) String() string {
	access := "cluster-admin"
	if d.access != nil {
		access = strings.Trim(string(d.access.Binding)+" "+d.access.ClusterRoleName, " ")
	}
	return fmt.Sprintf("%s, %s, %s", d.kind, access, d.name)
}

func nothing(*v1alpha1.ClusterRegistration) []string { return nil }

// withAccount are what the garbage collector takes along with a ServiceAccount.
func withAccount(reg *v1alpha1.ClusterRegistration) []string {
	return []string{
		"ServiceAccount " + accountKey(reg, "").String(),
		"Role " + accountKey(reg, "-self").String(),
		"RoleBinding " + accountKey(reg, "-self").String(),
	}
}

// accountAlone is that of an account which has been given no rights.
func accountAlone(reg *v1alpha1.ClusterRegistration) []string { return withAccount(reg)[:1] }

var (
	asViewer  = &v1alpha1.Access{ClusterRoleName: "view"}
	inDefault = &v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{"default"}}
	asNobody  = &v1alpha1.Access{Binding: v1alpha1.BindingNone}
)

var deaths = []death{
	{"ServiceAccount deleted", v1alpha1.TokenLongLived, deleteAccount, withAccount, nil},
	{"token Secret deleted", v1alpha1.TokenLongLived, deleteTokenSecret, nothing, nil},
	{"token emptied", v1alpha1.TokenLongLived, emptyToken, nothing, nil},
	{"token overwritten", v1alpha1.TokenLongLived, overwriteToken, nothing, nil},
	{"token marked invalid", v1alpha1.TokenLongLived, invalidateToken, nothing, nil},
	{"ServiceAccount deleted", v1alpha1.TokenBound, deleteAccount, withAccount, nil},
	{"anchor deleted", v1alpha1.TokenBound, deleteTokenSecret, nothing, nil},
	{"anchor replaced by another of its name", v1alpha1.TokenBound, replaceAnchor, nothing, nil},

	{"ServiceAccount deleted", v1alpha1.TokenLongLived, deleteAccount, withAccount, asViewer},
	{"token Secret deleted", v1alpha1.TokenLongLived, deleteTokenSecret, nothing, asViewer},
	{"anchor deleted", v1alpha1.TokenBound, deleteTokenSecret, nothing, asViewer},
	{"ServiceAccount deleted", v1alpha1.TokenLongLived, deleteAccount, withAccount, inDefault},
	{"token Secret deleted", v1alpha1.TokenLongLived, deleteTokenSecret, nothing, inDefault},
	{"anchor deleted", v1alpha1.TokenBound, deleteTokenSecret, nothing, inDefault},
	{"ServiceAccount deleted", v1alpha1.TokenLongLived, deleteAccount, accountAlone, asNobody},
	{"token Secret deleted", v1alpha1.TokenLongLived, deleteTokenSecret, nothing, asNobody},
	{"anchor deleted", v1alpha1.TokenBound, deleteTokenSecret, nothing, asNobody},
}

func deleteAccount(b *bench, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	Expect(b.plane.Delete(b.ctx, account.find(b, reg))).To(Succeed())
	// The garbage collector must not take away what is about to be mended.
	Eventually(func(g Gomega) {
		for _, obj := range []client.Object{
			named(&rbacv1.Role{}, accountKey(reg, "-self")),
			named(&rbacv1.RoleBinding{}, accountKey(reg, "-self")),
			tokenSecret.find(b, reg),
		} {
			g.Expect(apierrors.IsNotFound(b.plane.Get(b.ctx, client.ObjectKeyFromObject(obj), obj))).To(BeTrue())
		}
	}).Should(Succeed())
}

func deleteTokenSecret(b *bench, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	Expect(b.plane.Delete(b.ctx, tokenSecret.find(b, reg))).To(Succeed())
}

func emptyToken(b *bench, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	edit(b.ctx, b.plane, tokenSecret.find(b, reg), func(o client.Object) {
		secret, ok := o.(*corev1.Secret)
		Expect(ok).To(BeTrue())
		delete(secret.Data, corev1.ServiceAccountTokenKey)
	})
}

func overwriteToken(b *bench, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	edit(b.ctx, b.plane, tokenSecret.find(b, reg), func(o client.Object) {
		secret, ok := o.(*corev1.Secret)
		Expect(ok).To(BeTrue())
		secret.Data[corev1.ServiceAccountTokenKey] = []byte("another.token.altogether")
	})
}

// invalidateToken does what the controller manager does to a token that nobody has used for long.
func invalidateToken(b *bench, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	edit(b.ctx, b.plane, tokenSecret.find(b, reg), func(o client.Object) {
		labels := o.GetLabels()
		labels["kubernetes.io/legacy-token-invalid-since"] = "2026-01-01"
		o.SetLabels(labels)
	})
}

func replaceAnchor(b *bench, reg *v1alpha1.ClusterRegistration) {
	tokenSecret.replaced("", func(client.Object) {}).do(b, reg)
}

var _ = Describe("A token that the infra plane no longer accepts", Ordered, ContinueOnFailure, func() {
	var b *bench
	registrations := map[string]*v1alpha1.ClusterRegistration{}
	tokens := map[string]string{}
	name := func(i int, kept bool) string { return fmt.Sprintf("edge-%d-%t", i, kept) }

	// An API server accepts a token for ten seconds after it has died: all die together.
	BeforeAll(func(ctx SpecContext) {
		b = newBench(ctx, func(o *registration.Options) { o.AllowDuplicateClusters = true })
		for i, d := range deaths {
			for _, kept := range []bool{true, false} {
				b.through()
				reg := b.bringUp(name(i, kept), func(r *v1alpha1.ClusterRegistration) {
					r.Spec.Token, r.Spec.Access = &v1alpha1.Token{Type: d.kind}, d.access
				})
				_, cred := b.credential(reg)
				registrations[reg.Name], tokens[reg.Name] = reg, cred.Config.BearerToken
			}
		}
		for i, d := range deaths {
			for _, kept := range []bool{true, false} {
				d.do(b, registrations[name(i, kept)])
			}
		}
		for _, reg := range registrations {
			_, cred := b.credential(reg)
			Eventually(func() bool { return apierrors.IsUnauthorized(cred.client().List(ctx, &corev1.NodeList{})) }).Should(BeTrue())
		}
	})

	for i, d := range deaths {
		It(d.String()+": is replaced with the bootstrap Secret", func(ctx SpecContext) {
			b.ctx = ctx
			b.expectReplaced(registrations[name(i, true)], d, tokens[name(i, true)])
		})

		It(d.String()+": is reported without, and replaced once there is one again", func(ctx SpecContext) {
			b.ctx = ctx
			reg := registrations[name(i, false)]
			kubeconfig := &corev1.Secret{}
			Expect(b.kube.Get(ctx, client.ObjectKey{Namespace: reg.Namespace, Name: reg.Name + "-kubeconfig"}, kubeconfig)).To(Succeed())
			b.removeBootstrap(reg)
			b.forgetPast()
			b.expectBootstrapRequired(reg, damage{lost: &everything}, v1alpha1.ConditionTokenIssued)
			b.bootstrap(kubeconfig.Name, kubeconfig.Data["kubeconfig"])
			b.expectReplaced(reg, d, tokens[name(i, false)])
		})
	}
})

// expectReplaced does one check, and waits for the plane to issue the token.
func (b *bench) expectReplaced(reg *v1alpha1.ClusterRegistration, d death, old string) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(reg)
	b.forgetPast()
	result, err := b.once(key)
	Expect(err).NotTo(HaveOccurred())
	Eventually(func(g Gomega) {
		// The plane takes its time; these are no checks.
		for result.RequeueAfter < b.checkPeriod()/2 {
			result, err = b.once(key)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(result.RequeueAfter).To(BeNumerically(">", b.checkPeriod()/2))
		}
	}).Should(Succeed())
	writes, events := writesOf(b.onInfra.take()), b.events()
	AddReportEntry("repair", fmt.Sprintf("%v, %v", writes, events), ReportEntryVisibilityFailureOrVerbose)

	b.refresh(reg)
	Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue(), "%v", reg.Status.Conditions)
	_, cred := b.credential(reg)
	Expect(cred.Config.BearerToken).NotTo(Equal(old))
	Expect(b.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
	if d.access == nil {
		Expect(can(b.ctx, cred.client(), "*", "*.*", "", "")).To(BeTrue())
	}
	wanted := []string{"Normal TokenStored A new " + string(d.kind) + " token was accepted by the infra plane and stored"}
	for _, object := range d.along(reg) {
		wanted = append(wanted, "Normal Repaired "+object+" had been changed or deleted and is as it should be again")
	}
	Expect(append(repairsIn(events), eventsOf("TokenStored", events)...)).To(ConsistOf(wanted))

	By("withdrawing what is left of the old one, and then doing nothing more")
	for range audit {
		b.must(key)
	}
	secrets := &corev1.SecretList{}
	Expect(b.plane.List(b.ctx, secrets, client.MatchingLabels(b.marker(reg).Labels()))).To(Succeed())
	Expect(itemsOf(secrets)).To(Equal([]string{"kube-system/" + reg.Status.Token.SecretName}))
	b.refresh(reg)
	b.forgetPast()
	for range audit {
		b.must(key)
	}
	Expect(writesOf(b.onInfra.take())).To(BeEmpty())
	Expect(b.onControl.take()).To(BeEmpty())
	Expect(b.events()).To(BeEmpty())
}

var _ = Describe("A token Secret that was deleted", func() {
	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		It("is found missing by an audit although the token is still accepted: "+string(kind), func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: kind} })
			_, before := b.credential(reg)
			lost := reg.Status.Token.SecretName
			Expect(b.plane.Delete(ctx, tokenSecret.find(b, reg))).To(Succeed())
			checks := 0
			Eventually(func(g Gomega) {
				result, err := b.once(client.ObjectKeyFromObject(reg))
				g.Expect(err).NotTo(HaveOccurred())
				if result.RequeueAfter > b.checkPeriod()/2 {
					checks++
				}
				_, after := b.credential(reg)
				g.Expect(after.Config.BearerToken).NotTo(Equal(before.Config.BearerToken))
			}).Should(Succeed())
			Expect(checks).To(BeNumerically("<=", audit))
			b.refresh(reg)
			Expect(reg.Status.Token.SecretName).NotTo(Equal(lost))
			Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue())
			_, after := b.credential(reg)
			Expect(b.whoami(after)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
		})
	}
})
