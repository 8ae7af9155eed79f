// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// damage is something that somebody does to an object of a registration on its infra plane.
type damage struct {
	name string
	do   func(*bench, *v1alpha1.ClusterRegistration)
	// objects are what has to be mended, as events name it.
	objects func(*bench, *v1alpha1.ClusterRegistration) []string
	// lost is the right that goes with it, by which the next check notices; without one an
	// audit does.
	lost *right
	// admin tells that the registration's own token cannot mend it.
	admin bool
}

// target finds one object of a registration, and its name in events.
type target struct {
	find func(*bench, *v1alpha1.ClusterRegistration) client.Object
}

func (t target) objects(b *bench, reg *v1alpha1.ClusterRegistration) []string {
	return describeObjects([]client.Object{t.find(b, reg)})
}

var (
	claim = target{func(b *bench, _ *v1alpha1.ClusterRegistration) client.Object {
		return named(&corev1.ConfigMap{}, b.claimKey())
	}}
	account = target{func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&corev1.ServiceAccount{}, accountKey(reg, ""))
	}}
	tokenSecret = target{func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&corev1.Secret{}, types.NamespacedName{
			Namespace: reg.Spec.ServiceAccount.Namespace, Name: reg.Status.Token.SecretName,
		})
	}}
	clusterBinding = target{func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&rbacv1.ClusterRoleBinding{}, types.NamespacedName{Name: bindingName(reg)})
	}}
	workBinding = target{func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&rbacv1.RoleBinding{}, types.NamespacedName{Namespace: reg.Spec.Access.Namespaces[0], Name: bindingName(reg)})
	}}
	selfRole = target{func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&rbacv1.Role{}, accountKey(reg, "-self"))
	}}
	selfBinding = target{func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&rbacv1.RoleBinding{}, accountKey(reg, "-self"))
	}}
	selfClusterRole = target{func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&rbacv1.ClusterRole{}, types.NamespacedName{Name: bindingName(reg) + ":self"})
	}}
	selfClusterBinding = target{func(_ *bench, reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&rbacv1.ClusterRoleBinding{}, types.NamespacedName{Name: bindingName(reg) + ":self"})
	}}
)

func (t target) deleted() damage {
	return damage{name: "deleted", objects: t.objects, do: func(b *bench, reg *v1alpha1.ClusterRegistration) {
		GinkgoHelper()
		Expect(b.plane.Delete(b.ctx, t.find(b, reg))).To(Succeed())
	}}
}

// edited is an edit in place.
func (t target) edited(name string, change func(client.Object)) damage {
	return damage{name: name, objects: t.objects, do: func(b *bench, reg *v1alpha1.ClusterRegistration) {
		GinkgoHelper()
		edit(b.ctx, b.plane, t.find(b, reg), change)
	}}
}

func (t target) unlabelled() damage {
	return t.edited("without labels", func(o client.Object) { o.SetLabels(nil) })
}

// replaced deletes the object and makes another of its name, changed, marker and all: how a field
// that cannot be edited is.
func (t target) replaced(name string, change func(client.Object)) damage {
	return damage{name: name, objects: t.objects, do: func(b *bench, reg *v1alpha1.ClusterRegistration) {
		GinkgoHelper()
		obj := t.find(b, reg)
		Expect(b.plane.Get(b.ctx, client.ObjectKeyFromObject(obj), obj)).To(Succeed())
		Expect(b.plane.Delete(b.ctx, obj)).To(Succeed())
		obj.SetResourceVersion("")
		obj.SetUID("")
		obj.SetManagedFields(nil)
		change(obj)
		Expect(b.plane.Create(b.ctx, obj, client.FieldOwner("somebody"))).To(Succeed())
	}}
}

func (t target) withoutSubjects() damage {
	return t.edited("without subjects", func(o client.Object) {
		switch binding := o.(type) {
		case *rbacv1.ClusterRoleBinding:
			binding.Subjects = nil
		case *rbacv1.RoleBinding:
			binding.Subjects = nil
		default:
			Fail("not a binding")
		}
	})
}

func (t target) withAnotherSubject() damage {
	eve := rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: "eve"}
	return t.edited("with another subject", func(o client.Object) {
		switch binding := o.(type) {
		case *rbacv1.ClusterRoleBinding:
			binding.Subjects = append(binding.Subjects, eve)
		case *rbacv1.RoleBinding:
			binding.Subjects = append(binding.Subjects, eve)
		default:
			Fail("not a binding")
		}
	})
}

func (t target) ofAnotherRole() damage {
	other := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:discovery"}
	return t.replaced("of another role", func(o client.Object) {
		switch binding := o.(type) {
		case *rbacv1.ClusterRoleBinding:
			binding.RoleRef = other
		case *rbacv1.RoleBinding:
			binding.RoleRef = other
		default:
			Fail("not a binding")
		}
	})
}

func (t target) withoutRules() damage {
	return t.edited("without rules", func(o client.Object) {
		switch role := o.(type) {
		case *rbacv1.ClusterRole:
			role.Rules = nil
		case *rbacv1.Role:
			role.Rules = nil
		default:
			Fail("not a role")
		}
	})
}

// losing says by which right a check notices.
func (d damage) losing(r right) damage {
	d.lost = &r
	return d
}

// byAdmin says that only the bootstrap's credential can mend it.
func (d damage) byAdmin() damage {
	d.admin = true
	return d
}

// taking says that the garbage collector takes another object along.
func (d damage) taking(other target) damage {
	do, objects := d.do, d.objects
	d.do = func(b *bench, reg *v1alpha1.ClusterRegistration) {
		GinkgoHelper()
		do(b, reg)
		obj := other.find(b, reg)
		Eventually(func() bool {
			return apierrors.IsNotFound(b.plane.Get(b.ctx, client.ObjectKeyFromObject(obj), obj))
		}).Should(BeTrue())
	}
	d.objects = func(b *bench, reg *v1alpha1.ClusterRegistration) []string {
		return append(objects(b, reg), other.objects(b, reg)...)
	}
	return d
}

// content is what is wanted of an object, whichever object of that name it is.
type content struct {
	Labels, Annotations map[string]string
	Owners              []string
	Automount           *bool
	Rules               []rbacv1.PolicyRule
	RoleRef             rbacv1.RoleRef
	Subjects            []rbacv1.Subject
	Type                corev1.SecretType
}

// contents are the wanted contents of everything on the plane, by name.
func (b *bench) contents() map[string]content {
	GinkgoHelper()
	all := map[string]content{}
	for _, obj := range b.marked(b.ctx) {
		all[describeObjects([]client.Object{obj})[0]] = contentOf(obj)
	}
	return all
}

func contentOf(obj client.Object) content {
	c := content{Labels: obj.GetLabels(), Annotations: map[string]string{}}
	for _, key := range []string{v1alpha1.ControlPlaneAnnotation, v1alpha1.RegistrationAnnotation, corev1.ServiceAccountNameKey} {
		c.Annotations[key] = obj.GetAnnotations()[key]
	}
	for _, o := range obj.GetOwnerReferences() {
		c.Owners = append(c.Owners, o.Kind+" "+o.Name)
	}
	switch o := obj.(type) {
	case *corev1.ServiceAccount:
		c.Automount = o.AutomountServiceAccountToken
	case *corev1.Secret:
		c.Type = o.Type
		// Set by the API server when a token is used.
		delete(c.Labels, "kubernetes.io/legacy-token-last-used")
	case *rbacv1.ClusterRole:
		c.Rules = o.Rules
	case *rbacv1.Role:
		c.Rules = o.Rules
	case *rbacv1.ClusterRoleBinding:
		c.RoleRef, c.Subjects = o.RoleRef, o.Subjects
	case *rbacv1.RoleBinding:
		c.RoleRef, c.Subjects = o.RoleRef, o.Subjects
	}
	return c
}

// removeBootstrap deletes the admin kubeconfig, as whoever distrusts copies of it would.
func (b *bench) removeBootstrap(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: reg.Namespace, Name: reg.Name + "-kubeconfig"}}
	Expect(client.IgnoreNotFound(b.kube.Delete(b.ctx, secret))).To(Succeed())
}
