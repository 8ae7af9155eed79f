// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func adopting(r *v1alpha1.ClusterRegistration) { r.Spec.Adoption = v1alpha1.AdoptionUnmarked }

// ofTheSeed names the account as the seed's command line does.
func ofTheSeed(r *v1alpha1.ClusterRegistration) {
	r.Spec.ServiceAccount = &v1alpha1.ServiceAccountReference{Namespace: "kube-system", Name: "ccluster-manager"}
}

func ofKind(kind v1alpha1.TokenType) func(*v1alpha1.ClusterRegistration) {
	return func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: kind} }
}

// seedLeft makes what the seed's command line leaves on an infra plane, and returns it with the
// token that the token controller has issued.
func (b *bench) seedLeft() (account *corev1.ServiceAccount, binding *rbacv1.ClusterRoleBinding, secret *corev1.Secret) {
	GinkgoHelper()
	key := types.NamespacedName{Namespace: "kube-system", Name: "ccluster-manager"}
	account = named(&corev1.ServiceAccount{}, key)
	account.Labels = map[string]string{"team": "platform"}
	plant(b.ctx, b.plane, account)
	binding = plant(b.ctx, b.plane, accountBinding("ccluster-manager", "cluster-admin", key))
	secret = plant(b.ctx, b.plane, tokenSecretOf(key, "ccluster-manager-token"))
	b.awaitToken(secret)
	return account, binding, secret
}

// awaitToken waits until the token controller has filled a Secret.
func (b *bench) awaitToken(secret *corev1.Secret) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(b.plane.Get(b.ctx, client.ObjectKeyFromObject(secret), secret)).To(Succeed())
		g.Expect(secret.Data).To(HaveKey(corev1.ServiceAccountTokenKey))
	}).Should(Succeed())
}

func accountBinding(name, role string, account types.NamespacedName) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{
		ObjectMeta: named(&rbacv1.ClusterRoleBinding{}, types.NamespacedName{Name: name}).ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}},
	}
}

// tokenSecretOf is a Secret that the token controller fills for an account.
func tokenSecretOf(account types.NamespacedName, name string) *corev1.Secret {
	secret := named(&corev1.Secret{Type: corev1.SecretTypeServiceAccountToken}, types.NamespacedName{Namespace: account.Namespace, Name: name})
	secret.Annotations = map[string]string{corev1.ServiceAccountNameKey: account.Name}
	return secret
}

// audited does the checks that make an audit.
func (b *bench) audited(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	for range audit {
		b.must(client.ObjectKeyFromObject(reg))
	}
	b.refresh(reg)
}

// expectQuiet does the checks that make an audit and finds nothing to do.
func (b *bench) expectQuiet(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	b.forgetPast()
	b.audited(reg)
	Expect(writesOf(b.onInfra.take())).To(BeEmpty())
	Expect(b.onControl.take()).To(BeEmpty())
	Expect(b.events()).To(BeEmpty())
	Expect(isReady(reg)).To(BeTrue(), "%v", reg.Status.Conditions)
}

var _ = Describe("What the seed's command line has left on an infra plane", func() {
	It("is a conflict unless the spec allows to take it over", func(ctx SpecContext) {
		b := newBench(ctx)
		account, binding, secret := b.seedLeft()
		reg := b.create("edge", ofTheSeed)
		b.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionAuthorized, metav1.ConditionFalse, v1alpha1.ReasonForeignObject)
		b.refresh(reg)
		Expect(b.expectStopped(reg, v1alpha1.ConditionAuthorized, v1alpha1.ReasonForeignObject)).To(HavePrefix("ServiceAccount kube-system/ccluster-manager on the infra plane belongs to somebody else: "))
		b.expectUntouched(b.plane, account, binding, secret)
		Expect(describeObjects(b.marked(ctx))).To(Equal([]string{"ConfigMap " + b.claimKey().String()}))
	})

	It("is taken over, token and all, and goes with the registration", func(ctx SpecContext) {
		b := newBench(ctx)
		account, binding, secret := b.seedLeft()
		old := credential{Server: infra.Server()}
		old.Config.BearerToken = string(secret.Data[corev1.ServiceAccountTokenKey])
		old.Config.TLSClientConfig.CAData = infra.CAData()
		Expect(old.client().List(ctx, &corev1.NodeList{})).To(Succeed(), "the seed's users work with it")

		reg := b.ready(client.ObjectKeyFromObject(b.create("edge", ofTheSeed, adopting)))
		Expect(b.events()).NotTo(ContainElement(HavePrefix("Warning")))
		_, cred := b.credential(reg)
		Expect(cred).To(Equal(old), "the token is reused, so the seed's users go on")
		Expect(reg.Status.ServiceAccount.UID).To(Equal(string(account.UID)))
		Expect(reg.Status.Token.SecretName).To(Equal("ccluster-manager-token"))
		uids := b.uids()
		Expect(uids).To(HaveLen(6))
		Expect(uids).To(HaveKeyWithValue("ServiceAccount kube-system/ccluster-manager", account.UID))
		Expect(uids).To(HaveKeyWithValue("Secret kube-system/ccluster-manager-token", secret.UID))
		Expect(uids).To(HaveKey("ClusterRoleBinding " + bindingName(reg)))
		live := named(&corev1.ServiceAccount{}, client.ObjectKeyFromObject(account))
		Expect(b.plane.Get(ctx, client.ObjectKeyFromObject(live), live)).To(Succeed())
		Expect(live.Labels).To(HaveKeyWithValue("team", "platform"), "what others own is kept")
		b.expectUntouched(b.plane, binding)
		b.expectQuiet(reg)

		By("removing it with the registration")
		Expect(b.kube.Delete(ctx, reg)).To(Succeed())
		b.gone(client.ObjectKeyFromObject(reg))
		b.expectNothingMarked(ctx)
		Expect(apierrors.IsNotFound(b.plane.Get(ctx, client.ObjectKeyFromObject(account), account))).To(BeTrue())
		Eventually(func() bool { return apierrors.IsUnauthorized(old.client().List(ctx, &corev1.NodeList{})) }).Should(BeTrue())
		b.expectUntouched(b.plane, binding)
	})

	It("is taken over for a Bound token too, whose place its own token must not outlive", func(ctx SpecContext) {
		b := newBench(ctx)
		account, binding, secret := b.seedLeft()
		reg := b.ready(client.ObjectKeyFromObject(b.create("edge", ofTheSeed, adopting, ofKind(v1alpha1.TokenBound))))
		Expect(reg.Status.ServiceAccount.UID).To(Equal(string(account.UID)))
		Expect(b.uids()).To(HaveKeyWithValue("ServiceAccount kube-system/ccluster-manager", account.UID))
		Expect(reg.Status.Token.Type).To(Equal(v1alpha1.TokenBound))
		Expect(reg.Status.Token.SecretName).To(HavePrefix("ccluster-manager-token-"))
		_, cred := b.credential(reg)
		Expect(b.whoami(cred)).To(Equal("system:serviceaccount:kube-system:ccluster-manager"))
		b.expectUntouched(b.plane, binding)

		By("withdrawing the token without an end")
		b.advance(6 * time.Minute)
		b.audited(reg)
		Expect(apierrors.IsNotFound(b.plane.Get(ctx, client.ObjectKeyFromObject(secret), secret))).To(BeTrue())
		b.expectQuiet(reg)
	})
})

// expectUntouched compares objects with what they were when they were read.
func (b *bench) expectUntouched(kube client.Client, objects ...client.Object) {
	GinkgoHelper()
	for _, obj := range objects {
		live, ok := obj.DeepCopyObject().(client.Object)
		Expect(ok).To(BeTrue())
		Expect(kube.Get(b.ctx, client.ObjectKeyFromObject(obj), live)).To(Succeed())
		Expect(live.GetUID()).To(Equal(obj.GetUID()))
		Expect(live.GetResourceVersion()).To(Equal(obj.GetResourceVersion()), "%T %s", obj, obj.GetName())
	}
}

// hindrance is something under a needed name that may not be taken over, whatever the spec allows.
type hindrance struct {
	name, condition, reason string
	// plant makes it, and what it needs; it returns what must stay as it is.
	plant func(*bench, *v1alpha1.ClusterRegistration) []client.Object
	// control tells that it is on the control plane.
	control bool
}

// withMarker puts somebody's marker on an object.
func withMarker(obj client.Object, id string, registration types.NamespacedName) client.Object {
	m := provision.Marker{ControlPlaneID: id, Registration: registration}
	obj.SetLabels(m.Labels())
	obj.SetAnnotations(m.Annotations())
	return obj
}

// onThePlane is a hindrance of one object.
func onThePlane(name, condition, reason string, obj func(*bench, *v1alpha1.ClusterRegistration) client.Object) hindrance {
	return hindrance{name: name, condition: condition, reason: reason, plant: func(b *bench, reg *v1alpha1.ClusterRegistration) []client.Object {
		GinkgoHelper()
		return []client.Object{plant(b.ctx, b.plane, obj(b, reg))}
	}}
}

func bindingHindrance(name string, change func(*rbacv1.ClusterRoleBinding)) hindrance {
	return onThePlane("ClusterRoleBinding "+name, v1alpha1.ConditionAuthorized, v1alpha1.ReasonForeignObject,
		func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			binding := accountBinding(bindingName(reg), "cluster-admin", accountKey(reg, ""))
			change(binding)
			return binding
		})
}

var hindrances = []hindrance{
	onThePlane("ServiceAccount of another control plane", v1alpha1.ConditionAuthorized, v1alpha1.ReasonForeignObject,
		func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			return withMarker(account.find(b, reg), "other", client.ObjectKeyFromObject(reg))
		}),
	onThePlane("ServiceAccount of another registration of this control plane", v1alpha1.ConditionAuthorized, v1alpha1.ReasonForeignObject,
		func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			return withMarker(account.find(b, reg), b.options.ControlPlaneID, types.NamespacedName{Namespace: reg.Namespace, Name: "other"})
		}),
	onThePlane("ServiceAccount with the label of another registration alone", v1alpha1.ConditionAuthorized, v1alpha1.ReasonForeignObject,
		func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			obj := withMarker(account.find(b, reg), "other", client.ObjectKeyFromObject(reg))
			obj.SetAnnotations(nil)
			return obj
		}),
	bindingHindrance("to another role", func(c *rbacv1.ClusterRoleBinding) { c.RoleRef.Name = "view" }),
	bindingHindrance("for another account", func(c *rbacv1.ClusterRoleBinding) { c.Subjects[0].Name = "other" }),
	bindingHindrance("for the account of another namespace", func(c *rbacv1.ClusterRoleBinding) { c.Subjects[0].Namespace = "default" }),
	bindingHindrance("for a user of the account's name", func(c *rbacv1.ClusterRoleBinding) {
		c.Subjects[0] = rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: c.Subjects[0].Name}
	}),
	bindingHindrance("for nobody", func(c *rbacv1.ClusterRoleBinding) { c.Subjects = nil }),
	onThePlane("Role of the right name", v1alpha1.ConditionAuthorized, v1alpha1.ReasonForeignObject,
		func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object { return selfRole.find(b, reg) }),
	onThePlane("claim without a marker", v1alpha1.ConditionAuthorized, v1alpha1.ReasonAlreadyClaimed,
		func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object { return claim.find(b, reg) }),
	onThePlane("Opaque Secret under the token's name", v1alpha1.ConditionTokenIssued, v1alpha1.ReasonForeignObject,
		func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			return named(&corev1.Secret{Data: map[string][]byte{"token": []byte("planted")}}, accountKey(reg, "-token"))
		}),
	{
		name: "token Secret of another account", condition: v1alpha1.ConditionTokenIssued, reason: v1alpha1.ReasonForeignObject,
		plant: func(b *bench, reg *v1alpha1.ClusterRegistration) []client.Object {
			GinkgoHelper()
			other := plant(b.ctx, b.plane, named(&corev1.ServiceAccount{}, accountKey(reg, "-other")))
			secret := plant(b.ctx, b.plane, tokenSecretOf(client.ObjectKeyFromObject(other), accountKey(reg, "-token").Name))
			b.awaitToken(secret)
			return []client.Object{other, secret}
		},
	},
	{
		name: "credentials Secret and CCLInfraPlane of the seed's client", condition: v1alpha1.ConditionCredentialsApplied,
		reason: v1alpha1.ReasonForeignObject, control: true,
		plant: func(b *bench, reg *v1alpha1.ClusterRegistration) []client.Object {
			GinkgoHelper()
			secret, plane := credentials(reg), planeOf(reg)
			secret.Data = map[string][]byte{"server": []byte("https://127.0.0.1:1"), "config": []byte(`{"bearerToken":"theirs"}`)}
			plane.Spec.ClusterCredentialsRef.Name = secret.Name
			plant(b.ctx, b.kube, secret)
			b.catchUp(plant(b.ctx, b.kube, plane))
			return []client.Object{secret, plane}
		},
	},
}

var _ = Describe("An object of another shape than may be taken over", func() {
	for _, o := range hindrances {
		It("stays as it is and is reported: "+o.name, func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.registration("edge", adopting)
			kube := b.plane
			if o.control {
				kube = b.kube
			}
			theirs := o.plant(b, reg)
			b.create("edge", adopting)
			b.settle(client.ObjectKeyFromObject(reg), o.condition, metav1.ConditionFalse, o.reason)
			b.refresh(reg)
			message := b.expectStopped(reg, o.condition, o.reason)
			Expect(eventsOf(o.reason, b.events())).To(Equal([]string{
				"Warning " + o.reason + " " + o.condition + " is False: " + message,
				"Warning " + o.reason + " Ready is False: " + o.condition + ": " + message,
			}))
			b.expectUntouched(kube, theirs...)

			By("trying again, and saying and storing nothing")
			b.forgetPast()
			for range 3 {
				b.must(client.ObjectKeyFromObject(reg))
			}
			Expect(b.events()).To(BeEmpty())
			Expect(b.onControl.take()).To(BeEmpty())
			b.expectUntouched(kube, theirs...)
			if !o.control {
				Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(credentials(reg)), credentials(reg)))).To(BeTrue())
			}

			By("leaving it alone when the registration goes")
			Expect(b.kube.Delete(ctx, reg)).To(Succeed())
			b.gone(client.ObjectKeyFromObject(reg))
			b.expectUntouched(kube, theirs...)
			Eventually(func() []string { return describeObjects(b.markedBy(ctx, b.marker(reg).Hash())) }).Should(BeEmpty())
		})
	}

	It("may be a token that is another's: it is presented, and never stored", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.registration("edge", adopting)
		sa := plant(ctx, b.plane, named(&corev1.ServiceAccount{}, accountKey(reg, "")))
		planted := tokenSecretOf(client.ObjectKeyFromObject(sa), accountKey(reg, "-token").Name)
		planted.Annotations[corev1.ServiceAccountUIDKey] = string(sa.UID)
		planted.Data = map[string][]byte{corev1.ServiceAccountTokenKey: []byte(b.adminToken(ctx))}
		plant(ctx, b.plane, planted)
		b.create("edge", adopting)
		b.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionTokenIssued, metav1.ConditionFalse, v1alpha1.ReasonTokenRejected)
		b.refresh(reg)
		message := b.expectStopped(reg, v1alpha1.ConditionTokenIssued, v1alpha1.ReasonTokenRejected)
		Expect(message).To(HavePrefix("The endpoint accepts the token as another identity than system:serviceaccount:kube-system:" + sa.Name + ": "))
		Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(credentials(reg)), credentials(reg)))).To(BeTrue())
	})
})

// lose removes a registration and all that is about it from the control plane, and leaves the infra
// plane as it is: what a control plane has lost that is made anew from its manifests.
func (b *bench) lose(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	lost := reg.DeepCopy()
	b.discard(lost)
	for _, obj := range []client.Object{credentials(reg), planeOf(reg)} {
		Expect(apierrors.IsNotFound(b.kube.Get(b.ctx, client.ObjectKeyFromObject(obj), obj))).To(BeTrue())
		b.catchUp(obj)
	}
	b.restart()
	b.forgetPast()
}

// rotateOnce asks for another token and waits until it is stored.
func (b *bench) rotateOnce(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	_, before := b.credential(reg)
	b.advance(2 * time.Minute)
	b.rotate(reg, "2026-12-01T00:00:00Z")
	b.rotated(reg, before)
	b.ready(client.ObjectKeyFromObject(reg))
	b.refresh(reg)
}

var _ = Describe("What a lost control plane has left on an infra plane", func() {
	It("is found again by its marker, without adoption and without a write", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		before, whole := b.uids(), b.contents()
		_, cred := b.credential(reg)
		b.lose(reg)
		again := b.ready(client.ObjectKeyFromObject(b.createBare("edge")))
		Expect(again.UID).NotTo(Equal(reg.UID))
		Expect(writesOf(b.onInfra.take())).To(BeEmpty())
		Expect(b.uids()).To(Equal(before))
		Expect(b.contents()).To(Equal(whole))
		Expect(again.Status.Token.SecretName).To(Equal(reg.Status.Token.SecretName))
		Expect(again.Status.RemoteObjects).To(ConsistOf(reg.Status.RemoteObjects))
		_, found := b.credential(again)
		Expect(found).To(Equal(cred))
		b.expectQuiet(again)
	})

	It("is found again for a Bound token, which is replaced: nobody knows it any more", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge", ofKind(v1alpha1.TokenBound))
		before := b.uids()
		_, lost := b.credential(reg)
		b.lose(reg)
		again := b.ready(client.ObjectKeyFromObject(b.createBare("edge", ofKind(v1alpha1.TokenBound))))
		b.audited(again)
		after := b.uids()
		delete(before, "Secret kube-system/"+reg.Status.Token.SecretName)
		for name, uid := range before {
			Expect(after).To(HaveKeyWithValue(name, uid))
		}
		Expect(after).To(HaveLen(len(before)+1), "one token")
		Expect(after).To(HaveKey("Secret kube-system/" + again.Status.Token.SecretName))
		_, cred := b.credential(again)
		Expect(b.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
		Eventually(func() bool { return apierrors.IsUnauthorized(lost.client().List(ctx, &corev1.NodeList{})) }).Should(BeTrue())
		b.expectQuiet(again)
	})

	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		It("has one token after a rotation, and none of an earlier name: "+string(kind), func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.bringUp("edge", ofKind(kind))
			first := reg.Status.Token.SecretName
			b.rotateOnce(reg)
			b.advance(6 * time.Minute)
			b.audited(reg)
			Expect(b.tokenSecrets(reg)).To(HaveLen(1))
			b.lose(reg)
			again := b.ready(client.ObjectKeyFromObject(b.createBare("edge", ofKind(kind))))
			if kind == v1alpha1.TokenLongLived {
				// A token without expiry carries only names: a Secret of the first one's name
				// could revive it.
				Expect(again.Status.Token.SecretName).NotTo(Equal(first))
				Expect(again.Status.Token.SecretName).To(Equal(reg.Status.Token.SecretName), "it is there")
			}
			b.audited(again)
			left := b.tokenSecrets(again)
			Expect(left).To(HaveLen(1))
			Expect(left[0].Name).To(Equal(again.Status.Token.SecretName))
			b.expectQuiet(again)
		})
	}

	It("has the newer token while two overlap: the other one is withdrawn", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		first := reg.Status.Token.SecretName
		b.rotateOnce(reg)
		Expect(b.tokenSecrets(reg)).To(HaveLen(2))
		b.lose(reg)
		again := b.ready(client.ObjectKeyFromObject(b.createBare("edge")))
		Expect(again.Status.Token.SecretName).NotTo(Equal(first), "a withdrawn Secret is never used again")
		Expect(again.Status.Token.SecretName).To(Equal(reg.Status.Token.SecretName))
		b.advance(6 * time.Minute)
		b.audited(again)
		left := b.tokenSecrets(again)
		Expect(left).To(HaveLen(1))
		Expect(left[0].Name).To(Equal(again.Status.Token.SecretName))
		Expect(left[0].Annotations).NotTo(HaveKey(v1alpha1.WithdrawAtAnnotation))
	})

	It("grants no more than the spec that is there now asks for", func(ctx SpecContext) {
		b := newBench(ctx)
		namespace := b.remoteNamespace()
		reg := b.bringUp("edge")
		b.lose(reg)
		again := b.ready(client.ObjectKeyFromObject(b.createBare("edge", withAccess(v1alpha1.Access{
			Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{namespace},
		}))))
		Expect(describeObjects(b.marked(ctx))).NotTo(ContainElement("ClusterRoleBinding "+bindingName(reg)), "the lost one's")
		_, cred := b.credential(again)
		expectRights(ctx, cred.client(), right{"*", "*.*", namespace, "", true}, right{"list", "nodes", "", "", false})
	})

	It("is not another control plane's, whose registration has the same name", func(ctx SpecContext) {
		b, other := newBench(ctx), newBench(ctx)
		reg := b.bringUp("edge")
		before := b.uids()
		b.lose(reg)
		other.namespace = b.namespace
		stranger := other.createBare("edge", adopting)
		other.settle(client.ObjectKeyFromObject(stranger), v1alpha1.ConditionAuthorized, metav1.ConditionFalse, v1alpha1.ReasonForeignObject)
		Expect(b.uids()).To(Equal(before))
		Expect(conditions.IsTrue(other.now(stranger).Status.Conditions, v1alpha1.ConditionReady)).To(BeFalse())
	})
})
