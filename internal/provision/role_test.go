// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"testing"

	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestARoleThatDoesNotExistIsNotBound(t *testing.T) {
	for name, access := range map[string]*ccluster.Access{
		"in the cluster": {ClusterRoleName: "missing"},
		"in a namespace": {Binding: ccluster.BindingRoleBindings, ClusterRoleName: "missing", Namespaces: []string{"team-a"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane()
			plane := newPlane(t, server, wantedOf(access))
			err := plane.Access(t.Context(), testAccount)
			g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
			g.Expect(err).To(MatchError(HavePrefix("read ClusterRole missing: ")))
			g.Expect(server.writes()).To(BeEmpty())

			g.Expect(server.server.Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: named("", "missing")})).To(Succeed())
			g.Expect(plane.Access(t.Context(), testAccount)).To(Succeed())
			g.Expect(plane.Right()).To(BeNil(), "the role gives nothing")
		})
	}
}

func TestARoleMayBeBoundUnread(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane()
	server.answer = func(call string) error {
		if call == "get ClusterRole view" {
			return forbidden("clusterroles")
		}
		return nil
	}
	plane := newPlane(t, server, wantedOf(viewer))
	g.Expect(plane.Access(t.Context(), testAccount)).To(Succeed())
	g.Expect(plane.Right()).To(BeNil())
}

func TestFirstRight(t *testing.T) {
	pods := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods/log", "pods"}, Verbs: []string{"get", "list"}}
	named := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"a"}, Verbs: []string{"get"}}
	url := rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}
	all := rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}
	for name, test := range map[string]struct {
		rules []rbacv1.PolicyRule
		want  *authorizationv1.ResourceAttributes
	}{
		"none":            {},
		"nothing to ask":  {rules: []rbacv1.PolicyRule{named, url, {}}},
		"a subresource":   {rules: []rbacv1.PolicyRule{named, pods, all}, want: &authorizationv1.ResourceAttributes{Verb: "get", Resource: "pods", Subresource: "log"}},
		"everything":      {rules: []rbacv1.PolicyRule{all}, want: &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"}},
		"an incomplete":   {rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}}}},
		"another's group": {rules: []rbacv1.PolicyRule{{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"list"}}}, want: &authorizationv1.ResourceAttributes{Verb: "list", Group: "apps", Resource: "deployments"}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(firstRight(test.rules)).To(Equal(test.want))
		})
	}
}
