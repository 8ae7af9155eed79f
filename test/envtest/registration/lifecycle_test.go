// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// credential is what Argo CD reads from the Secret.
type credential struct {
	Server string
	Config struct {
		BearerToken     string `json:"bearerToken"`
		TLSClientConfig struct {
			Insecure bool   `json:"insecure"`
			CAData   []byte `json:"caData"`
		} `json:"tlsClientConfig"`
	}
}

func (h *harness) credential(reg *v1alpha1.ClusterRegistration) (*corev1.Secret, credential) {
	GinkgoHelper()
	secret := &corev1.Secret{}
	Expect(h.kube.Get(h.ctx, types.NamespacedName{Namespace: reg.Namespace, Name: reg.Name + "-credentials"}, secret)).To(Succeed())
	c := credential{Server: string(secret.Data["server"])}
	Expect(json.Unmarshal(secret.Data["config"], &c.Config)).To(Succeed())
	return secret, c
}

// client returns a client with nothing but what is in the Secret.
func (c credential) client() client.Client {
	GinkgoHelper()
	scheme, err := ccluster.NewScheme()
	Expect(err).NotTo(HaveOccurred())
	kube, err := client.New(&rest.Config{
		Host: c.Server, BearerToken: c.Config.BearerToken,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.Config.TLSClientConfig.CAData},
	}, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	return kube
}

func (h *harness) whoami(c credential) string {
	GinkgoHelper()
	review := &authenticationv1.SelfSubjectReview{}
	Expect(c.client().Create(h.ctx, review)).To(Succeed())
	return review.Status.UserInfo.Username
}

var _ = Describe("A registration", func() {
	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		It("becomes a working credential and goes away again: "+string(kind), func(ctx SpecContext) {
			h := newHarness(ctx, patient)
			reg := h.register("edge", func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: kind} })
			account := reg.Spec.ServiceAccount

			By("reporting every condition")
			Expect(conditions.Check(reg, reg.Status.Conditions, v1alpha1.ConditionReady, v1alpha1.ReadyConditions()[:5]...)).To(Succeed())
			for _, c := range v1alpha1.RegistrationConditions() {
				Expect(conditions.Find(reg.Status.Conditions, c)).NotTo(BeNil(), c)
			}
			Expect(reg.Status.Server).To(Equal(infra.Server()))
			Expect(reg.Status.KubernetesVersion).To(HavePrefix("v1."))

			By("storing a token of the account in Argo CD's shape")
			secret, cred := h.credential(reg)
			Expect(h.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + account.Name))
			Expect(cred.client().List(ctx, &corev1.NodeList{})).To(Succeed())
			Expect(secret.Annotations).NotTo(HaveKey(corev1.LastAppliedConfigAnnotation))
			plane := &v1alpha1.CCLInfraPlane{}
			Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(reg), plane)).To(Succeed())
			Expect(plane.Spec.ClusterCredentialsRef.Name).To(Equal(secret.Name))
			if kind == v1alpha1.TokenBound {
				Expect(reg.Status.Token.ExpiresAt.IsZero()).To(BeFalse())
			}

			By("taking everything away")
			Expect(h.kube.Delete(ctx, reg)).To(Succeed())
			h.gone(client.ObjectKeyFromObject(reg))
			for _, list := range []client.ObjectList{
				&corev1.ServiceAccountList{}, &corev1.ConfigMapList{}, &rbacv1.ClusterRoleBindingList{},
			} {
				Expect(h.plane.List(ctx, list, client.HasLabels{v1alpha1.MarkerLabel})).To(Succeed())
				Expect(itemsOf(list)).To(BeEmpty())
			}
			Eventually(func(g Gomega) {
				for _, list := range []client.ObjectList{&corev1.SecretList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}} {
					g.Expect(h.plane.List(ctx, list, client.HasLabels{v1alpha1.MarkerLabel})).To(Succeed())
					g.Expect(itemsOf(list)).To(BeEmpty())
				}
			}).Should(Succeed())
			Expect(client.IgnoreNotFound(h.kube.Get(ctx, client.ObjectKeyFromObject(secret), secret))).To(Succeed())
		})
	}
})
