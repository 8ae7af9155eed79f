// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func withAccess(access v1alpha1.Access) func(*v1alpha1.ClusterRegistration) {
	return func(r *v1alpha1.ClusterRegistration) { r.Spec.Access = &access }
}

var _ = Describe("The access of a registration", func() {
	It("is cluster-admin by default", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		binding, self := bindingName(reg), accountKey(reg, "-self").String()
		Expect(describeObjects(b.marked(ctx))).To(Equal([]string{
			"ClusterRoleBinding " + binding,
			"ConfigMap " + b.claimKey().String(),
			"Role " + self,
			"RoleBinding " + self,
			"Secret " + accountKey(reg, "-token").String(),
			"ServiceAccount " + accountKey(reg, "").String(),
		}))
		crb := &rbacv1.ClusterRoleBinding{}
		Expect(b.plane.Get(ctx, types.NamespacedName{Name: binding}, crb)).To(Succeed())
		Expect(crb.RoleRef).To(Equal(rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}))
		Expect(crb.Subjects).To(Equal([]rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "kube-system", Name: reg.Spec.ServiceAccount.Name}}))
		account := &corev1.ServiceAccount{}
		Expect(b.plane.Get(ctx, accountKey(reg, ""), account)).To(Succeed())
		Expect(account.AutomountServiceAccountToken).To(HaveValue(BeFalse()))
		Expect(reg.Status.ServiceAccount).To(Equal(v1alpha1.ServiceAccountStatus{Namespace: "kube-system", Name: account.Name, UID: string(account.UID)}))

		_, cred := b.credential(reg)
		expectRights(ctx, cred.client(), right{"*", "*.*", "", "", true})
		node := plant(ctx, cred.client(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "node-"}})
		Expect(cred.client().Delete(ctx, node)).To(Succeed())
	})

	It("is another ClusterRole where one is named", func(ctx SpecContext) {
		b := newBench(ctx)
		elsewhere := b.remoteNamespace()
		reg := b.bringUp("edge", withAccess(v1alpha1.Access{ClusterRoleName: "view"}))
		binding, self := bindingName(reg), accountKey(reg, "-self").String()
		Expect(describeObjects(b.marked(ctx))).To(Equal([]string{
			"ClusterRole " + binding + ":self",
			"ClusterRoleBinding " + binding,
			"ClusterRoleBinding " + binding + ":self",
			"ConfigMap " + b.claimKey().String(),
			"Role " + self,
			"RoleBinding " + self,
			"Secret " + accountKey(reg, "-token").String(),
			"ServiceAccount " + accountKey(reg, "").String(),
		}))
		_, cred := b.credential(reg)
		as := cred.client()
		expectRights(ctx, as,
			right{"list", "pods", "", "", true},
			right{"list", "configmaps", elsewhere, "", true},
			right{"create", "pods", elsewhere, "", false},
			right{"list", "secrets", elsewhere, "", false},
			right{"list", "nodes", "", "", false},
		)
		expectRights(ctx, as, selfRights(reg, elsewhere)...)
		expectRights(ctx, as, b.clusterSelfRights(reg)...)
		Expect(as.List(ctx, &corev1.PodList{}, client.InNamespace(elsewhere))).To(Succeed())
		forbidden := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: elsewhere, Name: "mine"}}
		Expect(apierrors.IsForbidden(as.Create(ctx, forbidden))).To(BeTrue())
	})

	for _, included := range []v1alpha1.ClusterResources{v1alpha1.ClusterResourcesExclude, v1alpha1.ClusterResourcesInclude} {
		It("ends at the listed namespaces, cluster-scoped resources: "+string(included), func(ctx SpecContext) {
			b := newBench(ctx)
			first, second, third := b.remoteNamespace(), b.remoteNamespace(), b.remoteNamespace()
			names := []string{first, second}
			if first < second {
				names = []string{second, first}
			}
			reg := b.bringUp("edge", withAccess(v1alpha1.Access{
				Binding: v1alpha1.BindingRoleBindings, Namespaces: names, ClusterResources: included,
			}))
			binding := bindingName(reg)
			for _, namespace := range []string{first, second} {
				rb := &rbacv1.RoleBinding{}
				Expect(b.plane.Get(ctx, types.NamespacedName{Namespace: namespace, Name: binding}, rb)).To(Succeed())
				Expect(rb.RoleRef.Name).To(Equal("cluster-admin"))
			}
			Expect(describeObjects(b.marked(ctx))).NotTo(ContainElement("ClusterRoleBinding " + binding))

			By("writing the namespaces for Argo CD, sorted")
			secret, cred := b.credential(reg)
			Expect(string(secret.Data["namespaces"])).To(Equal(names[1] + "," + names[0]))
			Expect(string(secret.Data["clusterResources"])).To(Equal(map[v1alpha1.ClusterResources]string{
				v1alpha1.ClusterResourcesExclude: "false", v1alpha1.ClusterResourcesInclude: "true",
			}[included]))

			By("acting with the token")
			as := cred.client()
			expectRights(ctx, as,
				right{"*", "*.*", first, "", true},
				right{"*", "*.*", second, "", true},
				right{"list", "pods", third, "", false},
				right{"list", "pods", "", "", false},
				right{"list", "nodes", "", "", false},
				right{"get", "namespaces", "", first, true},
				right{"delete", "namespaces", "", third, false},
				right{"get", "namespaces", "", third, false},
			)
			expectRights(ctx, as, selfRights(reg, third)...)
			expectRights(ctx, as, b.clusterSelfRights(reg)...)
			configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: second, Name: "mine"}}
			Expect(as.Create(ctx, configMap)).To(Succeed())
			configMap = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: third, Name: "mine"}}
			Expect(apierrors.IsForbidden(as.Create(ctx, configMap))).To(BeTrue())
		})
	}

	It("is nothing with binding None", func(ctx SpecContext) {
		b := newBench(ctx)
		elsewhere := b.remoteNamespace()
		reg := b.bringUp("edge", withAccess(v1alpha1.Access{Binding: v1alpha1.BindingNone}))
		Expect(describeObjects(b.marked(ctx))).To(Equal([]string{
			"ConfigMap " + b.claimKey().String(),
			"Secret " + accountKey(reg, "-token").String(),
			"ServiceAccount " + accountKey(reg, "").String(),
		}))
		authorized := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionAuthorized)
		Expect([]string{string(authorized.Status), authorized.Reason}).To(Equal([]string{"True", v1alpha1.ReasonGrantedByOwner}))
		_, cred := b.credential(reg)
		Expect(b.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
		var none []right
		for _, r := range append(selfRights(reg, elsewhere), b.clusterSelfRights(reg)...) {
			r.allowed = false
			none = append(none, r)
		}
		expectRights(ctx, cred.client(), none...)

		By("asking only who the token is for")
		for range 10 {
			b.must(client.ObjectKeyFromObject(reg))
		}
		Expect(b.onInfra.take()).To(HaveEach("create selfsubjectreviews"))
	})

	It("puts the ServiceAccount where the spec wants it, and the claim in kube-system", func(ctx SpecContext) {
		b := newBench(ctx)
		namespace := b.remoteNamespace()
		reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.ServiceAccount = &v1alpha1.ServiceAccountReference{Namespace: namespace, Name: "edge"}
		}, withAccess(v1alpha1.Access{ClusterRoleName: "view"}))
		Expect(describeObjects(b.marked(ctx))).To(ContainElements(
			"ServiceAccount "+namespace+"/edge", "Secret "+namespace+"/edge-token", "Role "+namespace+"/edge-self",
			"ClusterRoleBinding ccluster:"+namespace+":edge", "ConfigMap "+b.claimKey().String(),
		))
		_, cred := b.credential(reg)
		Expect(b.whoami(cred)).To(Equal("system:serviceaccount:" + namespace + ":edge"))
		expectRights(ctx, cred.client(), selfRights(reg, "kube-system")...)
	})
})

var _ = Describe("The marker of a registration", func() {
	for _, narrow := range []bool{false, true} {
		name := map[bool]string{false: "wide", true: "narrow"}[narrow]
		It("is on every object, and each is of one field manager: "+name, func(ctx SpecContext) {
			b := newBench(ctx)
			access := v1alpha1.Access{ClusterRoleName: "edit"}
			if narrow {
				access = v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{b.remoteNamespace()}}
			}
			reg := b.bringUp(name, withAccess(access))
			hash := b.marker(reg).Hash()
			objects := b.marked(ctx)
			Expect(objects).To(HaveLen(8))
			for _, obj := range objects {
				Expect(obj.GetLabels()).To(HaveKeyWithValue(v1alpha1.MarkerLabel, hash))
				Expect(obj.GetAnnotations()).To(And(
					HaveKeyWithValue(v1alpha1.ControlPlaneAnnotation, b.options.ControlPlaneID),
					HaveKeyWithValue(v1alpha1.RegistrationAnnotation, b.namespace+"/"+name),
				))
				Expect(managersOf(obj)).To(Equal([]string{registration.Owner + "-" + hash[:16]}), "%s", describeObjects([]client.Object{obj}))
			}

			By("reporting each in the status")
			var reported, live []string
			for _, o := range reg.Status.RemoteObjects {
				reported = append(reported, o.Kind+" "+strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")+" "+o.UID)
			}
			for _, o := range objects {
				live = append(live, describeObjects([]client.Object{o})[0]+" "+string(o.GetUID()))
			}
			Expect(reported).To(ConsistOf(live))
		})
	}

	It("tells registrations of one name in two namespaces apart", func(ctx SpecContext) {
		b := newBench(ctx, func(o *registration.Options) { o.AllowDuplicateClusters = true })
		one := b.bringUp("edge")
		b.namespace = testenv.Namespace(GinkgoTB(), b.kube)
		b.through()
		two := b.bringUp("edge")
		Expect(b.marker(one).Hash()).NotTo(Equal(b.marker(two).Hash()))
		byHash := map[string]int{}
		for _, obj := range b.marked(ctx) {
			byHash[obj.GetLabels()[v1alpha1.MarkerLabel]]++
		}
		Expect(byHash).To(Equal(map[string]int{b.marker(one).Hash(): 6, b.marker(two).Hash(): 6}))
	})
})

// managersOf are the field managers of an object's content that are not parts of the API server
// and its controllers, each once.
func managersOf(obj client.Object) []string {
	seen := map[string]bool{}
	var names []string
	for _, f := range obj.GetManagedFields() {
		system := f.Manager == "kube-controller-manager" || f.Manager == "kube-apiserver"
		if f.Subresource == "" && !system && !seen[f.Manager] {
			seen[f.Manager] = true
			names = append(names, f.Manager)
		}
	}
	return names
}
