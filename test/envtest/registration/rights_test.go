// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// can asks the plane, as the owner of a client's token, for one right: a verb and a resource as
// kubectl writes it (`resource.group/subresource`), in a namespace unless that is empty, on a
// name unless that is empty.
func can(ctx context.Context, c client.Client, verb, resource, namespace, name string) bool {
	GinkgoHelper()
	resource, sub, _ := strings.Cut(resource, "/")
	resource, group, _ := strings.Cut(resource, ".")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: group, Resource: resource, Subresource: sub, Namespace: namespace, Name: name,
		},
	}}
	Expect(c.Create(ctx, review)).To(Succeed())
	return review.Status.Allowed
}

// right is one question about a token and its answer.
type right struct {
	verb, resource, namespace, name string
	allowed                         bool
}

// expectRights compares what a token may do with what it should; rights follow a binding after
// a moment.
func expectRights(ctx context.Context, c client.Client, rights ...right) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		for _, r := range rights {
			g.Expect(can(ctx, c, r.verb, r.resource, r.namespace, r.name)).To(Equal(r.allowed), "%+v", r)
		}
	}).Should(Succeed())
}

// selfRights are those by which an account looks after itself, and no further: other accounts,
// other namespaces and every way to more rights are closed. Beside the controllers of
// kube-system they do not reach Secrets.
func selfRights(reg *v1alpha1.ClusterRegistration, elsewhere string) []right {
	sa := reg.Spec.ServiceAccount
	self, keeps := sa.Name+"-self", sa.Namespace != "kube-system"
	return []right{
		{"get", "serviceaccounts", sa.Namespace, sa.Name, true},
		{"patch", "serviceaccounts", sa.Namespace, sa.Name, true},
		{"delete", "serviceaccounts", sa.Namespace, sa.Name, true},
		{"create", "serviceaccounts/token", sa.Namespace, sa.Name, keeps},
		{"create", "secrets", sa.Namespace, "", keeps},
		{"list", "secrets", sa.Namespace, "", keeps},
		{"get", "roles.rbac.authorization.k8s.io", sa.Namespace, self, true},
		{"get", "rolebindings.rbac.authorization.k8s.io", sa.Namespace, self, true},

		{"create", "serviceaccounts/token", sa.Namespace, "default", false},
		{"delete", "serviceaccounts", sa.Namespace, "default", false},
		{"impersonate", "serviceaccounts", sa.Namespace, sa.Name, false},
		{"create", "secrets", elsewhere, "", false},
		{"patch", "roles.rbac.authorization.k8s.io", sa.Namespace, self, false},
		{"patch", "rolebindings.rbac.authorization.k8s.io", sa.Namespace, self, false},
		{"create", "rolebindings.rbac.authorization.k8s.io", sa.Namespace, "", false},
		{"create", "clusterrolebindings.rbac.authorization.k8s.io", "", "", false},
		{"bind", "clusterroles.rbac.authorization.k8s.io", "", "cluster-admin", false},
		{"escalate", "roles.rbac.authorization.k8s.io", sa.Namespace, self, false},
	}
}

// clusterSelfRights are the cluster-scoped counterpart of an account that is not cluster-admin.
func (b *bench) clusterSelfRights(reg *v1alpha1.ClusterRegistration) []right {
	binding, claim := bindingName(reg), b.claimKey()
	const rbac = ".rbac.authorization.k8s.io"
	return []right{
		{"get", "namespaces", "", "kube-system", true},
		{"get", "configmaps", claim.Namespace, claim.Name, true},
		{"delete", "configmaps", claim.Namespace, claim.Name, true},
		{"get", "clusterroles" + rbac, "", binding + ":self", true},
		{"delete", "clusterroles" + rbac, "", binding + ":self", true},
		{"get", "clusterrolebindings" + rbac, "", binding, true},
		{"delete", "clusterrolebindings" + rbac, "", binding, true},
		{"delete", "clusterrolebindings" + rbac, "", binding + ":self", true},
		{"delete", "rolebindings" + rbac, "default", binding, true},

		{"patch", "clusterroles" + rbac, "", binding + ":self", false},
		{"patch", "clusterrolebindings" + rbac, "", binding, false},
		{"delete", "clusterroles" + rbac, "", "cluster-admin", false},
		{"delete", "clusterrolebindings" + rbac, "", "cluster-admin", false},
		{"delete", "configmaps", claim.Namespace, "kube-root-ca.crt", false},
	}
}

// remoteNamespace makes a namespace on the infra plane.
func (b *bench) remoteNamespace() string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "work-"}}
	return plant(b.ctx, b.plane, namespace).Name
}
