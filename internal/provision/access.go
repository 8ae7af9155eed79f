// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

const rbacAPI = "rbac.authorization.k8s.io/v1"

// Access grants the account what the registration asks for, and the rights by
// which it looks after itself. With BindingNone it does nothing.
func (p *Plane) Access(ctx context.Context, account types.UID) error {
	if p.wanted.Binding == ccluster.BindingNone {
		return nil
	}
	if err := p.grantable(ctx); err != nil {
		return err
	}
	switch p.wanted.Binding {
	case ccluster.BindingRoleBindings:
		for _, namespace := range p.wanted.Namespaces {
			if err := p.roleBinding(ctx, namespace, p.wanted.bindingName(), clusterRole(p.wanted.ClusterRole), nil); err != nil {
				return err
			}
		}
		if err := p.selfCluster(ctx); err != nil {
			return err
		}
	default:
		if err := p.clusterRoleBinding(ctx, p.wanted.bindingName(), p.wanted.ClusterRole, nil); err != nil {
			return err
		}
		// Any other role may lack the rights to look after its own binding.
		if !p.wanted.isClusterAdmin() {
			if err := p.selfCluster(ctx); err != nil {
				return err
			}
		}
	}
	return p.looksAfterItself(ctx, account)
}

func clusterRole(name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}
}

func (p *Plane) subject() *rbacv1ac.SubjectApplyConfiguration {
	return rbacv1ac.Subject().WithKind(rbacv1.ServiceAccountKind).
		WithNamespace(p.wanted.Account.Namespace).WithName(p.wanted.Account.Name)
}

// onlySubject tells that a binding is for this account alone.
func (p *Plane) onlySubject(subjects []rbacv1.Subject) bool {
	return len(subjects) == 1 && subjects[0] == rbacv1.Subject{
		Kind: rbacv1.ServiceAccountKind, Namespace: p.wanted.Account.Namespace, Name: p.wanted.Account.Name,
	}
}

func roleRef(ref rbacv1.RoleRef) *rbacv1ac.RoleRefApplyConfiguration {
	return rbacv1ac.RoleRef().WithAPIGroup(ref.APIGroup).WithKind(ref.Kind).WithName(ref.Name)
}

// isLifeline tells the bindings without which the account can make no others.
func (p *Plane) isLifeline(name string) bool {
	return name == p.wanted.bindingName() || name == p.wanted.selfClusterName()
}

func (p *Plane) clusterRoleBinding(ctx context.Context, name, role string, owner *metav1ac.OwnerReferenceApplyConfiguration) error {
	live, ref := &rbacv1.ClusterRoleBinding{}, clusterRole(role)
	return p.ensure(ctx, piece{
		apiVersion: rbacAPI, kind: "ClusterRoleBinding", live: live, key: types.NamespacedName{Name: name},
		intent: func() runtime.ApplyConfiguration {
			b := rbacv1ac.ClusterRoleBinding(name).
				WithLabels(p.wanted.Marker.Labels()).WithAnnotations(p.wanted.Marker.Annotations()).
				WithRoleRef(roleRef(ref)).WithSubjects(p.subject())
			if owner != nil {
				b.WithOwnerReferences(owner)
			}
			return b
		},
		immovable: func() bool { return live.RoleRef != ref },
		lifeline:  p.isLifeline(name),
		adoptable: func() bool { return live.RoleRef == ref && p.onlySubject(live.Subjects) },
	})
}

func (p *Plane) roleBinding(ctx context.Context, namespace, name string, ref rbacv1.RoleRef, owner *metav1ac.OwnerReferenceApplyConfiguration) error {
	live := &rbacv1.RoleBinding{}
	return p.ensure(ctx, piece{
		apiVersion: rbacAPI, kind: "RoleBinding", live: live, key: types.NamespacedName{Namespace: namespace, Name: name},
		intent: func() runtime.ApplyConfiguration {
			b := rbacv1ac.RoleBinding(name, namespace).
				WithLabels(p.wanted.Marker.Labels()).WithAnnotations(p.wanted.Marker.Annotations()).
				WithRoleRef(roleRef(ref)).WithSubjects(p.subject())
			if owner != nil {
				b.WithOwnerReferences(owner)
			}
			return b
		},
		immovable: func() bool { return live.RoleRef != ref },
		lifeline:  p.isLifeline(name),
		adoptable: func() bool { return live.RoleRef == ref && p.onlySubject(live.Subjects) },
	})
}
