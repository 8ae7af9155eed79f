// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// registration is a ClusterRegistration of the infra plane, with its bootstrap Secret.
func registration(ctx context.Context, c *cluster, namespace, name string, change ...func(*v1alpha1.ClusterRegistration)) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	secret := bootstrap(ctx, c, namespace, name+"-kubeconfig")
	reg := &v1alpha1.ClusterRegistration{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	reg.Spec.Bootstrap.KubeconfigSecretRef.Name = secret.Name
	for _, f := range change {
		f(reg)
	}
	Expect(c.Create(ctx, reg)).To(Succeed())
	return reg
}

// bootstrap is a labelled Secret with the infra plane's admin kubeconfig.
func bootstrap(ctx context.Context, c *cluster, namespace, name string) *corev1.Secret {
	GinkgoHelper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{v1alpha1.BootstrapLabel: "true"}},
		Data:       map[string][]byte{"value": infra.Kubeconfig()},
	}
	Expect(c.Create(ctx, secret)).To(Succeed())
	return secret
}

// account gives a registration a ServiceAccount name of its own on the infra plane.
func account(name string) func(*v1alpha1.ClusterRegistration) {
	return func(reg *v1alpha1.ClusterRegistration) {
		reg.Spec.ServiceAccount = &v1alpha1.ServiceAccountReference{Namespace: metav1.NamespaceSystem, Name: name}
	}
}

// retained leaves what is on the infra plane to unregister: a manager that revokes it proves for half a
// minute that it has.
func retained(reg *v1alpha1.ClusterRegistration) { reg.Spec.DeletionPolicy = v1alpha1.DeletionRetain }

// ready waits for Ready=True and returns the registration as it is then.
func ready(ctx context.Context, c *cluster, reg *v1alpha1.ClusterRegistration) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	fresh := &v1alpha1.ClusterRegistration{}
	Eventually(func(g Gomega, ctx context.Context) {
		g.Expect(c.Get(ctx, client.ObjectKeyFromObject(reg), fresh)).To(Succeed())
		g.Expect(conditions(fresh)).To(HaveKeyWithValue(v1alpha1.ConditionReady, HavePrefix("True")))
		g.Expect(fresh.Status.ObservedGeneration).To(Equal(fresh.Generation))
	}).WithContext(ctx).Should(Succeed())
	return fresh
}

// conditions are "Status Reason: Message" by type.
func conditions(reg *v1alpha1.ClusterRegistration) map[string]string {
	found := map[string]string{}
	for _, c := range reg.Status.Conditions {
		found[c.Type] = strings.TrimSuffix(string(c.Status)+" "+c.Reason+": "+c.Message, ": ")
	}
	return found
}

// revokeTimeout is ample for a revocation and its proof.
const revokeTimeout = 2 * time.Minute

// unregister deletes a registration, waits until it is gone and looks that nothing of it is left.
func unregister(ctx context.Context, c *cluster, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(c.Delete(ctx, reg))).To(Succeed())
	key := client.ObjectKeyFromObject(reg)
	expectGone(ctx, c, &v1alpha1.ClusterRegistration{}, key)
	expectGone(ctx, c, &v1alpha1.CCLInfraPlane{}, key)
	expectGone(ctx, c, &corev1.Secret{}, credentialsKey(reg))
	if reg.Spec.DeletionPolicy == v1alpha1.DeletionRetain {
		sweep(ctx, reg)
	}
	Expect(marked(ctx, infra, reg)).To(BeEmpty())
}

func expectGone(ctx context.Context, c *cluster, o client.Object, key client.ObjectKey) {
	GinkgoHelper()
	Eventually(func(g Gomega, ctx context.Context) {
		err := c.Get(ctx, key, o)
		g.Expect(client.IgnoreNotFound(err)).To(Succeed())
		g.Expect(err).To(HaveOccurred(), "%T is still there", o)
	}).WithContext(ctx).WithTimeout(revokeTimeout).Should(Succeed())
}

func credentialsKey(reg *v1alpha1.ClusterRegistration) client.ObjectKey {
	return client.ObjectKey{Namespace: reg.Namespace, Name: v1alpha1.CredentialsSecretName(reg.Name)}
}

// marked are the objects on a plane that say they are of a registration, as kind and name.
func marked(ctx context.Context, c *cluster, reg *v1alpha1.ClusterRegistration) []string {
	GinkgoHelper()
	found := []string{}
	for _, o := range markedObjects(ctx, c, reg) {
		gvk, err := apiutil.GVKForObject(o, c.Scheme())
		Expect(err).NotTo(HaveOccurred())
		found = append(found, gvk.Kind+" "+o.GetName())
	}
	return found
}

func markedObjects(ctx context.Context, c *cluster, reg *v1alpha1.ClusterRegistration) []client.Object {
	GinkgoHelper()
	var found []client.Object
	for _, list := range []client.ObjectList{
		&corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceAccountList{},
		&rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &rbacv1.ClusterRoleList{}, &rbacv1.ClusterRoleBindingList{},
	} {
		Expect(c.List(ctx, list, client.HasLabels{v1alpha1.MarkerLabel})).To(Succeed())
		Expect(meta.EachListItem(list, func(item runtime.Object) error {
			o := item.(client.Object)
			if o.GetAnnotations()[v1alpha1.RegistrationAnnotation] == client.ObjectKeyFromObject(reg).String() {
				found = append(found, o)
			}
			return nil
		})).To(Succeed())
	}
	return found
}

// sweep removes what a retained registration has left on the infra plane.
func sweep(ctx context.Context, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	for _, o := range markedObjects(ctx, infra, reg) {
		Expect(client.IgnoreNotFound(infra.Delete(ctx, o))).To(Succeed())
	}
	// A token Secret goes with its ServiceAccount, and what that owns is garbage.
	Eventually(marked).WithContext(ctx).WithArguments(infra, reg).Should(BeEmpty())
}

// stored is the credential in `<name>-credentials`.
func stored(ctx context.Context, c *cluster, reg *v1alpha1.ClusterRegistration) argocd.Cluster {
	GinkgoHelper()
	secret := &corev1.Secret{}
	Expect(c.Get(ctx, credentialsKey(reg), secret)).To(Succeed())
	parsed, err := argocd.ParseCluster(secret.Data)
	Expect(err).NotTo(HaveOccurred())
	return parsed
}

// connect is a configuration made of a credential alone.
func connect(credential argocd.Cluster) *rest.Config {
	return &rest.Config{
		Host: credential.Server, BearerToken: credential.Config.BearerToken, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAData: credential.Config.TLSClientConfig.CAData, ServerName: credential.Config.TLSClientConfig.ServerName,
		},
	}
}

// whoAmI asks a server who it takes a configuration for.
func whoAmI(ctx context.Context, cfg *rest.Config) (string, error) {
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		return "", err
	}
	review := &authenticationv1.SelfSubjectReview{}
	err = c.Create(ctx, review)
	return review.Status.UserInfo.Username, err
}
