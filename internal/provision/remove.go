// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// stage is a set of objects of one kind that is removed together.
type stage struct {
	kind string
	list client.ObjectList
	one  func() client.Object
	// namespace limits the list; "" is all, or cluster-scoped.
	namespace string
	// names are looked for where the kind may not be listed.
	names []types.NamespacedName
	// keep is left alone.
	keep types.NamespacedName
	// found are the registration's own objects.
	found []client.Object
}

// HiddenError says that everything that could be seen was removed, and names what the
// account may not look at any more.
type HiddenError struct{ Objects []string }

// Error names the objects.
func (e *HiddenError) Error() string {
	return "not seen on the infra plane: " + strings.Join(e.Objects, ", ")
}

// RemoveRights deletes everything that carries the marker but the ServiceAccount, with the
// UID it was read with. It finds objects by listing; where that is not permitted, as for an
// account that is bound in single namespaces, by the names it gives to objects and those in
// recorded. What such an account may not look at is told by a *HiddenError, after all else
// has been done.
//
// An account that removes itself leaves the rights that it does so by: they are owned by
// the ServiceAccount and go with it. An admin removes all but the claim.
func (p *Plane) RemoveRights(ctx context.Context, recorded []ccluster.RemoteObject, admin bool) error {
	return p.removeStages(ctx, p.rights(recorded, admin), !admin)
}

// RemoveAccount deletes the ServiceAccount, and with it its tokens. An admin then also
// gives up the claim: until here nobody else may think the cluster free.
func (p *Plane) RemoveAccount(ctx context.Context, recorded []ccluster.RemoteObject, admin bool) error {
	last := []stage{p.accounts()}
	if admin {
		last = append(last, p.claims(recorded))
	}
	return p.removeStages(ctx, last, false)
}

// RemoveStale deletes the bindings and roles that carry the marker and are not among what
// this pass has made or found: what an earlier spec has granted.
func (p *Plane) RemoveStale(ctx context.Context, recorded []ccluster.RemoteObject) error {
	granted := []stage{p.roleBindings(recorded), p.clusterRoleBindings(recorded), p.clusterRoles(recorded), p.roles(recorded)}
	for i := range granted {
		if _, err := p.look(ctx, &granted[i], true); err != nil {
			return err
		}
		for _, obj := range granted[i].found {
			if p.holds(granted[i].kind, obj) {
				continue
			}
			if err := p.remove(ctx, obj); err != nil {
				return fmt.Errorf("delete %s %s: %w", granted[i].kind, client.ObjectKeyFromObject(obj), err)
			}
		}
	}
	return nil
}

// holds tells whether an object is one of this pass's.
func (p *Plane) holds(kind string, obj client.Object) bool {
	return slices.ContainsFunc(p.objects, func(o ccluster.RemoteObject) bool {
		return o.Kind == kind && o.Namespace == obj.GetNamespace() && o.Name == obj.GetName()
	})
}

func (p *Plane) removeStages(ctx context.Context, stages []stage, lenient bool) error {
	var hidden []string
	// All is looked for before anything is deleted: an account that removes its own
	// rights sees less and less.
	for i := range stages {
		unseen, err := p.look(ctx, &stages[i], lenient)
		if err != nil {
			return err
		}
		hidden = append(hidden, unseen...)
	}
	for _, s := range stages {
		for _, obj := range s.found {
			if err := p.remove(ctx, obj); err != nil {
				return fmt.Errorf("delete %s %s: %w", s.kind, client.ObjectKeyFromObject(obj), err)
			}
		}
	}
	if len(hidden) > 0 {
		return &HiddenError{Objects: hidden}
	}
	return nil
}

// recordedNames are the names of the kind that are recorded, and those given.
func recordedNames(recorded []ccluster.RemoteObject, kind string, names ...types.NamespacedName) []types.NamespacedName {
	for _, o := range recorded {
		n := types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
		if o.Kind == kind && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

func (p *Plane) accounts() stage {
	return stage{
		kind: "ServiceAccount", list: &corev1.ServiceAccountList{}, one: func() client.Object { return &corev1.ServiceAccount{} },
		namespace: p.wanted.Account.Namespace, names: []types.NamespacedName{p.wanted.Account},
	}
}

func (p *Plane) claims(recorded []ccluster.RemoteObject) stage {
	return stage{
		kind: "ConfigMap", list: &corev1.ConfigMapList{}, one: func() client.Object { return &corev1.ConfigMap{} },
		namespace: claimNamespace,
		names:     recordedNames(recorded, "ConfigMap", types.NamespacedName{Namespace: claimNamespace, Name: p.wanted.claimName()}),
	}
}

func (p *Plane) self() types.NamespacedName {
	return types.NamespacedName{Namespace: p.wanted.Account.Namespace, Name: p.wanted.selfName()}
}

func (p *Plane) roleBindings(recorded []ccluster.RemoteObject) stage {
	names := make([]types.NamespacedName, 0, len(p.wanted.Namespaces)+1)
	for _, namespace := range p.wanted.Namespaces {
		names = append(names, types.NamespacedName{Namespace: namespace, Name: p.wanted.bindingName()})
	}
	names = append(names, p.self())
	return stage{
		kind: "RoleBinding", list: &rbacv1.RoleBindingList{}, one: func() client.Object { return &rbacv1.RoleBinding{} },
		names: recordedNames(recorded, "RoleBinding", names...),
	}
}

func (p *Plane) clusterRoleBindings(recorded []ccluster.RemoteObject) stage {
	return stage{
		kind: "ClusterRoleBinding", list: &rbacv1.ClusterRoleBindingList{}, one: func() client.Object { return &rbacv1.ClusterRoleBinding{} },
		names: recordedNames(recorded, "ClusterRoleBinding", types.NamespacedName{Name: p.wanted.bindingName()}),
	}
}

func (p *Plane) clusterRoles(recorded []ccluster.RemoteObject) stage {
	return stage{
		kind: "ClusterRole", list: &rbacv1.ClusterRoleList{}, one: func() client.Object { return &rbacv1.ClusterRole{} },
		names: recordedNames(recorded, "ClusterRole", types.NamespacedName{Name: p.wanted.selfClusterName()}),
	}
}

func (p *Plane) roles(recorded []ccluster.RemoteObject) stage {
	return stage{
		kind: "Role", list: &rbacv1.RoleList{}, one: func() client.Object { return &rbacv1.Role{} },
		names: recordedNames(recorded, "Role", p.self()),
	}
}

// rights lists the stages in order: what reaches furthest goes first. The role that an
// account works by outside its namespace goes last, and its binding with it.
func (p *Plane) rights(recorded []ccluster.RemoteObject, admin bool) []stage {
	roleBindings, bindings, roles := p.roleBindings(recorded), p.clusterRoleBindings(recorded), p.clusterRoles(recorded)
	if !admin {
		roleBindings.keep, bindings.keep = p.self(), types.NamespacedName{Name: p.wanted.selfClusterName()}
		return []stage{roleBindings, p.claims(recorded), bindings, roles}
	}
	first := types.NamespacedName{Namespace: p.wanted.Account.Namespace, Name: p.wanted.FirstTokenName()}
	secrets := stage{
		kind: "Secret", list: &corev1.SecretList{}, one: func() client.Object { return &corev1.Secret{} },
		namespace: p.wanted.Account.Namespace, names: recordedNames(recorded, "Secret", first),
	}
	return []stage{roleBindings, bindings, roles, secrets, p.roles(recorded)}
}

// look fills in what is found, and returns what it was not permitted to look at, if that is
// to be let go.
func (p *Plane) look(ctx context.Context, s *stage, lenient bool) ([]string, error) {
	err := p.client.List(ctx, s.list, client.InNamespace(s.namespace), client.MatchingLabels(p.wanted.Marker.Labels()))
	if apierrors.IsForbidden(err) {
		return p.lookNamed(ctx, s, lenient)
	}
	if err != nil {
		return nil, fmt.Errorf("list %ss: %w", s.kind, err)
	}
	return nil, meta.EachListItem(s.list, func(item runtime.Object) error {
		if obj, ok := item.(client.Object); ok {
			p.take(s, obj)
		}
		return nil
	})
}

func (p *Plane) lookNamed(ctx context.Context, s *stage, lenient bool) (hidden []string, err error) {
	for _, name := range s.names {
		if name == s.keep {
			continue
		}
		obj := s.one()
		err := p.client.Get(ctx, name, obj)
		if apierrors.IsNotFound(err) {
			continue
		}
		if lenient && apierrors.IsForbidden(err) {
			hidden = append(hidden, strings.TrimSuffix(s.kind+" "+strings.TrimPrefix(name.String(), "/"), "/"))
			continue
		}
		if err != nil {
			return hidden, fmt.Errorf("read %s %s: %w", s.kind, name, err)
		}
		p.take(s, obj)
	}
	return hidden, nil
}

// take notes an object for removal if it is the registration's own.
func (p *Plane) take(s *stage, obj client.Object) {
	if client.ObjectKeyFromObject(obj) != s.keep && p.wanted.Marker.Owns(obj) {
		s.found = append(s.found, obj)
	}
}
