// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// obstacle is an object of somebody else under a name that a registration needs.
type obstacle struct {
	name      string
	condition string
	message   string
	// make returns it, not created yet.
	make func(*bench, *v1alpha1.ClusterRegistration) client.Object
	// control tells that it is on the control plane.
	control bool
}

func foreignBinding(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
	return &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: bindingName(reg)},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "kube-system", Name: reg.Spec.ServiceAccount.Name}},
	}
}

var obstacles = []obstacle{
	{
		name: "ServiceAccount", condition: v1alpha1.ConditionAuthorized, message: " on the infra plane belongs to somebody else: remove it, or set spec.serviceAccount to another name",
		make: account.find,
	},
	{
		name: "ClusterRoleBinding", condition: v1alpha1.ConditionAuthorized, message: "ClusterRoleBinding ccluster:kube-system:",
		make: foreignBinding,
	},
	{
		name: "Role", condition: v1alpha1.ConditionAuthorized, message: "Role kube-system/",
		make: selfRole.find,
	},
	{
		name: "ServiceAccount of another control plane", condition: v1alpha1.ConditionAuthorized, message: "ServiceAccount kube-system/",
		make: func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			other := provision.Marker{ControlPlaneID: "other", Registration: types.NamespacedName{Namespace: "tenant", Name: "edge"}}
			obj := account.find(b, reg)
			obj.SetLabels(other.Labels())
			obj.SetAnnotations(other.Annotations())
			return obj
		},
	},
	{
		name: "token Secret", condition: v1alpha1.ConditionTokenIssued, message: "Secret kube-system/",
		make: func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			return named(&corev1.Secret{Data: map[string][]byte{"token": []byte("planted")}}, accountKey(reg, "-token"))
		},
	},
	{
		name: "credentials Secret", condition: v1alpha1.ConditionCredentialsApplied, control: true, message: "/edge-credentials exists and belongs to somebody else: remove it",
		make: func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			secret := credentials(reg)
			secret.Data = map[string][]byte{"server": []byte("https://127.0.0.1:1"), "config": []byte(`{"bearerToken":"theirs"}`)}
			return secret
		},
	},
	{
		name: "credentials Secret with our label", condition: v1alpha1.ConditionCredentialsApplied, control: true, message: "/edge-credentials exists and belongs to somebody else: remove it",
		make: func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			secret := credentials(reg)
			secret.Labels = map[string]string{v1alpha1.ManagedLabel: v1alpha1.ManagedCredentials}
			return secret
		},
	},
	{
		name: "CCLInfraPlane", condition: v1alpha1.ConditionCredentialsApplied, control: true, message: "CCLInfraPlane ",
		make: func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object { return planeOf(reg) },
	},
}

var _ = Describe("An object of somebody else under a needed name", func() {
	for _, o := range obstacles {
		It("is left alone and reported, and no longer in the way once it is removed: "+o.name, func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.registration("edge")
			kube := b.plane
			if o.control {
				kube = b.kube
			}
			obj := plant(ctx, kube, o.make(b, reg))
			if o.control && obj.GetLabels()[v1alpha1.ManagedLabel] != "" || o.name == "CCLInfraPlane" {
				b.catchUp(obj)
			}
			b.bootstrap("edge-kubeconfig", b.kubeconfig)
			Expect(b.kube.Create(ctx, reg)).To(Succeed())
			b.removeAfter(reg)
			b.settle(client.ObjectKeyFromObject(reg), o.condition, metav1.ConditionFalse, v1alpha1.ReasonForeignObject)
			b.refresh(reg)
			Expect(b.expectStopped(reg, o.condition, v1alpha1.ReasonForeignObject)).To(ContainSubstring(o.message))
			Expect(b.events()).To(ContainElement("Warning ForeignObject " + o.condition + " is False: " + conditions.Find(reg.Status.Conditions, o.condition).Message))

			By("trying again, and saying nothing new")
			b.onControl.take()
			for range 3 {
				b.must(client.ObjectKeyFromObject(reg))
			}
			Expect(b.events()).To(BeEmpty())
			Expect(b.onControl.take()).To(BeEmpty())

			By("finding it untouched")
			live := obj.DeepCopyObject().(client.Object)
			Expect(kube.Get(ctx, client.ObjectKeyFromObject(obj), live)).To(Succeed())
			Expect(live.GetResourceVersion()).To(Equal(obj.GetResourceVersion()))
			Expect(live.GetManagedFields()).To(Equal(obj.GetManagedFields()))

			By("removing it")
			Expect(kube.Delete(ctx, obj)).To(Succeed())
			if o.control && obj.GetLabels()[v1alpha1.ManagedLabel] != "" || o.name == "CCLInfraPlane" {
				b.catchUp(obj)
			}
			b.ready(client.ObjectKeyFromObject(reg))
		})
	}

	It("is taken over only if it has the expected shape and the spec allows it", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.registration("edge", func(r *v1alpha1.ClusterRegistration) { r.Spec.Adoption = v1alpha1.AdoptionUnmarked })
		plant(ctx, b.plane, account.find(b, reg))
		crb := plant(ctx, b.plane, foreignBinding(b, reg))
		binding, ok := crb.(*rbacv1.ClusterRoleBinding)
		Expect(ok).To(BeTrue())
		edit(ctx, b.plane, binding, func(c *rbacv1.ClusterRoleBinding) {
			c.Subjects = append(c.Subjects, rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: "eve"})
		})
		b.bootstrap("edge-kubeconfig", b.kubeconfig)
		Expect(b.kube.Create(ctx, reg)).To(Succeed())
		b.removeAfter(reg)
		b.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionAuthorized, metav1.ConditionFalse, v1alpha1.ReasonForeignObject)

		By("making it what the seed's command line leaves")
		edit(ctx, b.plane, binding, func(c *rbacv1.ClusterRoleBinding) { c.Subjects = c.Subjects[:1] })
		b.ready(client.ObjectKeyFromObject(reg))
		Expect(describeObjects(b.marked(ctx))).To(ContainElements("ServiceAccount "+accountKey(reg, "").String(), "ClusterRoleBinding "+bindingName(reg)))
	})
})
