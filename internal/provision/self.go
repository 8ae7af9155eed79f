// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"
)

// looksAfterItself lets the account look after itself in its own namespace. Both objects are
// owned by the ServiceAccount: with its own token it can delete that, but nothing
// afterwards, and the garbage collector does the rest.
func (p *Plane) looksAfterItself(ctx context.Context, account types.UID) error {
	owner := metav1ac.OwnerReference().WithAPIVersion(corev1.SchemeGroupVersion.String()).
		WithKind("ServiceAccount").WithName(p.wanted.Account.Name).WithUID(account)
	name, namespace := p.wanted.selfName(), p.wanted.Account.Namespace
	err := p.ensure(ctx, piece{
		apiVersion: rbacAPI, kind: "Role", live: &rbacv1.Role{}, key: types.NamespacedName{Namespace: namespace, Name: name},
		intent: func() runtime.ApplyConfiguration {
			return rbacv1ac.Role(name, namespace).
				WithLabels(p.wanted.Marker.Labels()).WithAnnotations(p.wanted.Marker.Annotations()).
				WithOwnerReferences(owner).WithRules(p.selfRules()...)
		},
	})
	if err != nil {
		return err
	}
	return p.roleBinding(ctx, namespace, name, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, owner)
}

func (p *Plane) selfRules() []*rbacv1ac.PolicyRuleApplyConfiguration {
	account := p.wanted.Account.Name
	rules := []*rbacv1ac.PolicyRuleApplyConfiguration{
		rule("", "serviceaccounts", []string{account}, "get", "patch", "delete"),
		rule(rbacv1.GroupName, "roles", []string{p.wanted.selfName()}, "get"),
		rule(rbacv1.GroupName, "rolebindings", []string{p.wanted.selfName()}, "get"),
	}
	if !p.wanted.KeepsTokens() {
		return rules
	}
	return append(rules,
		rule("", "serviceaccounts/token", []string{account}, "create"),
		// Token Secrets have names made up as they are needed, which a rule
		// cannot list beforehand.
		rule("", "secrets", nil, "get", "list", "create", "patch", "delete"),
	)
}

// selfCluster is the cluster-scoped counterpart for an account that is not
// cluster-admin: it tells the cluster and those namespaces apart from others
// made later under the same names, and finds and removes what is its own. The
// binding is owned by the role, for the same reason as above.
func (p *Plane) selfCluster(ctx context.Context) error {
	name, live := p.wanted.selfClusterName(), &rbacv1.ClusterRole{}
	err := p.ensure(ctx, piece{
		apiVersion: rbacAPI, kind: "ClusterRole", live: live, key: types.NamespacedName{Name: name},
		intent: func() runtime.ApplyConfiguration {
			return rbacv1ac.ClusterRole(name).
				WithLabels(p.wanted.Marker.Labels()).WithAnnotations(p.wanted.Marker.Annotations()).
				WithRules(p.selfClusterRules()...)
		},
	})
	if err != nil {
		return err
	}
	owner := metav1ac.OwnerReference().WithAPIVersion(rbacAPI).
		WithKind("ClusterRole").WithName(name).WithUID(live.UID)
	return p.clusterRoleBinding(ctx, name, name, owner)
}

func (p *Plane) selfClusterRules() []*rbacv1ac.PolicyRuleApplyConfiguration {
	namespaces := slices.Concat([]string{claimNamespace}, p.wanted.Namespaces)
	slices.Sort(namespaces)
	rules := []*rbacv1ac.PolicyRuleApplyConfiguration{
		rule("", "namespaces", slices.Compact(namespaces), "get"),
		rule("", "configmaps", []string{p.wanted.claimName()}, "get", "delete"),
		rule(rbacv1.GroupName, "rolebindings", []string{p.wanted.bindingName()}, "get", "delete"),
		rule(rbacv1.GroupName, "clusterroles", []string{p.wanted.selfClusterName()}, "get", "delete"),
		rule(rbacv1.GroupName, "clusterrolebindings", []string{p.wanted.bindingName(), p.wanted.selfClusterName()}, "get", "delete"),
	}
	if p.wanted.ClusterRole != DefaultClusterRole {
		rules = append(rules, rule(rbacv1.GroupName, "clusterroles", []string{p.wanted.ClusterRole}, "get"))
	}
	return rules
}

func rule(group, resource string, names []string, verbs ...string) *rbacv1ac.PolicyRuleApplyConfiguration {
	r := rbacv1ac.PolicyRule().WithAPIGroups(group).WithResources(resource).WithVerbs(verbs...)
	if len(names) > 0 {
		r.WithResourceNames(names...)
	}
	return r
}
