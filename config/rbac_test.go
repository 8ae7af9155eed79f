// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/ccluster-go/ccluster-go/internal/manager"
)

// installs are the kustomizations that install a manager.
var installs = []string{"default", "namespaced", "registration-only"}

// grant is a binding of a role of the same rendering.
type grant struct {
	name, namespace string
	ref             rbacv1.RoleRef
	subjects        []rbacv1.Subject
	rules           []rbacv1.PolicyRule
}

func grants(t *testing.T, objects rendered) []grant {
	t.Helper()
	var found []grant
	for _, b := range all[*rbacv1.ClusterRoleBinding](objects) {
		found = append(found, grant{
			name: b.Name, ref: b.RoleRef, subjects: b.Subjects,
			rules: one[*rbacv1.ClusterRole](t, objects, b.RoleRef.Name).Rules,
		})
	}
	for _, b := range all[*rbacv1.RoleBinding](objects) {
		NewWithT(t).Expect(b.RoleRef.Kind).To(Equal("Role"), b.Name)
		at := slices.IndexFunc(all[*rbacv1.Role](objects), func(r *rbacv1.Role) bool {
			return r.Name == b.RoleRef.Name && r.Namespace == b.Namespace
		})
		NewWithT(t).Expect(at).To(BeNumerically(">=", 0), "role of "+b.Name)
		found = append(found, grant{
			name: b.Name, namespace: b.Namespace, ref: b.RoleRef, subjects: b.Subjects,
			rules: all[*rbacv1.Role](objects)[at].Rules,
		})
	}
	return found
}

func TestEveryBindingIsForTheManagersAccount(t *testing.T) {
	for _, dir := range installs {
		t.Run(dir, func(t *testing.T) {
			g := NewWithT(t)
			objects := render(t, dir)
			account := one[*corev1.ServiceAccount](t, objects, "ccluster-manager")
			found := grants(t, objects)
			g.Expect(len(found)).To(BeNumerically(">=", 3))
			for _, grant := range found {
				g.Expect(grant.subjects).To(Equal([]rbacv1.Subject{
					{Kind: rbacv1.ServiceAccountKind, Name: account.Name, Namespace: account.Namespace},
				}), grant.name)
			}
		})
	}
}

func TestNoRoleIsMoreThanItNeeds(t *testing.T) {
	for _, dir := range installs {
		t.Run(dir, func(t *testing.T) {
			g := NewWithT(t)
			objects := render(t, dir)
			var rules []rbacv1.PolicyRule
			for _, r := range all[*rbacv1.ClusterRole](objects) {
				g.Expect(r.Name).NotTo(Equal("cluster-admin"))
				g.Expect(r.AggregationRule).To(BeNil())
				rules = append(rules, r.Rules...)
			}
			for _, r := range all[*rbacv1.Role](objects) {
				rules = append(rules, r.Rules...)
			}
			for _, b := range all[*rbacv1.ClusterRoleBinding](objects) {
				g.Expect(b.RoleRef.Name).NotTo(Equal("cluster-admin"))
			}
			for _, r := range rights(rules) {
				g.Expect([]string{r.group, r.resource, r.verb}).NotTo(ContainElement("*"))
				g.Expect(r.verb).NotTo(BeElementOf("escalate", "bind", "impersonate", "deletecollection"))
				g.Expect(r.group).NotTo(Equal(rbacv1.GroupName))
				g.Expect(r.resource).NotTo(BeElementOf("pods", "pods/exec", "serviceaccounts", "serviceaccounts/token", "nodes"))
			}
		})
	}
}

func TestLeaseRightsAreForTheManagersLease(t *testing.T) {
	g := NewWithT(t)
	role := one[*rbacv1.Role](t, render(t, "default"), "ccluster-leader-election")
	g.Expect(rights(role.Rules)).To(ConsistOf(
		right{"coordination.k8s.io", "leases", "", "create"},
		right{"coordination.k8s.io", "leases", manager.LeaseName, "get"},
		right{"coordination.k8s.io", "leases", manager.LeaseName, "update"},
		right{"", "events", "", "create"},
		right{"", "events", "", "patch"},
	))
}

func TestNamespacedReadsSecretsInItsNamespacesOnly(t *testing.T) {
	g := NewWithT(t)
	for _, grant := range grants(t, render(t, "namespaced")) {
		for _, r := range rights(grant.rules) {
			if grant.namespace == "" {
				g.Expect(r.resource).To(BeElementOf("namespaces", "tokenreviews", "subjectaccessreviews"), grant.name)
			}
			if r.resource == "secrets" {
				g.Expect(grant.namespace).To(BeElementOf("tenant-a", "argocd"))
			}
		}
	}
}

func TestPeoplesRolesCoverTheKinds(t *testing.T) {
	objects := render(t, "default")
	for kind, resource := range map[string]string{
		"clusterregistration": "clusterregistrations", "cclinfraplane": "cclinfraplanes", "cclcomponentset": "cclcomponentsets",
	} {
		t.Run(kind, func(t *testing.T) {
			g := NewWithT(t)
			const group = "ccluster.nvidia.com"
			var read, write []right
			for _, verb := range []string{"get", "list", "watch"} {
				read = append(read, right{group, resource, "", verb})
			}
			read = append(read, right{group, resource + "/status", "", "get"})
			write = slices.Clone(read)
			for _, verb := range []string{"create", "delete", "patch", "update"} {
				write = append(write, right{group, resource, "", verb})
			}
			g.Expect(rights(one[*rbacv1.ClusterRole](t, objects, "ccluster-"+kind+"-viewer").Rules)).To(ConsistOf(read))
			g.Expect(rights(one[*rbacv1.ClusterRole](t, objects, "ccluster-"+kind+"-editor").Rules)).To(ConsistOf(write))
		})
	}
}
