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

// Remove deletes everything that carries the marker, with the UID it was read with. It
// finds objects by listing; where that is not permitted, as for an account that is bound
// in single namespaces, by the names it gives to objects and those in recorded.
//
// The ServiceAccount goes last, with it its token, and by garbage collection what it
// owns. An admin removes also what is only left for that collector.
func (p *Plane) Remove(ctx context.Context, recorded []ccluster.RemoteObject, admin bool) error {
	var hidden []string
	stages := p.stages(recorded, admin)
	// All is looked for before anything is deleted: an account that removes its own
	// rights sees less and less.
	for i := range stages {
		unseen, err := p.look(ctx, &stages[i], !admin)
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

func (p *Plane) stages(recorded []ccluster.RemoteObject, admin bool) []stage {
	w := &p.wanted
	named := func(kind string, names ...types.NamespacedName) []types.NamespacedName {
		for _, o := range recorded {
			n := types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
			if o.Kind == kind && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		return names
	}
	self := types.NamespacedName{Namespace: w.Account.Namespace, Name: w.selfName()}
	var bound []types.NamespacedName
	for _, namespace := range w.Namespaces {
		bound = append(bound, types.NamespacedName{Namespace: namespace, Name: w.bindingName()})
	}
	roleBindings := stage{
		kind: "RoleBinding", list: &rbacv1.RoleBindingList{}, one: func() client.Object { return &rbacv1.RoleBinding{} },
		names: named("RoleBinding", append(bound, self)...), keep: self,
	}
	claims := stage{
		kind: "ConfigMap", list: &corev1.ConfigMapList{}, one: func() client.Object { return &corev1.ConfigMap{} },
		namespace: claimNamespace, names: named("ConfigMap", types.NamespacedName{Namespace: claimNamespace, Name: w.claimName()}),
	}
	roles := stage{
		kind: "ClusterRole", list: &rbacv1.ClusterRoleList{}, one: func() client.Object { return &rbacv1.ClusterRole{} },
		names: named("ClusterRole", types.NamespacedName{Name: w.selfClusterName()}),
	}
	bindings := stage{
		kind: "ClusterRoleBinding", list: &rbacv1.ClusterRoleBindingList{}, one: func() client.Object { return &rbacv1.ClusterRoleBinding{} },
		names: named("ClusterRoleBinding", types.NamespacedName{Name: w.bindingName()}),
	}
	accounts := stage{
		kind: "ServiceAccount", list: &corev1.ServiceAccountList{}, one: func() client.Object { return &corev1.ServiceAccount{} },
		namespace: w.Account.Namespace, names: []types.NamespacedName{w.Account},
	}
	secrets := stage{
		kind: "Secret", list: &corev1.SecretList{}, one: func() client.Object { return &corev1.Secret{} },
		namespace: w.Account.Namespace, names: named("Secret", types.NamespacedName{Namespace: w.Account.Namespace, Name: w.FirstTokenName()}),
	}
	selfRole := stage{
		kind: "Role", list: &rbacv1.RoleList{}, one: func() client.Object { return &rbacv1.Role{} },
		names: named("Role", self),
	}
	if !admin {
		// With its own token the account cannot remove the rights it works by: the
		// role that all of them hang on goes just before the account itself, and its
		// binding with it.
		bindings.keep = types.NamespacedName{Name: w.selfClusterName()}
		return []stage{roleBindings, claims, bindings, roles, accounts}
	}
	// The claim goes last: until then nobody else may think the cluster free.
	roleBindings.keep = types.NamespacedName{}
	return []stage{roleBindings, bindings, roles, secrets, selfRole, accounts, claims}
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
