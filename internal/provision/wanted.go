// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// claimNamespace exists on every cluster, so that all registrations of a
// control plane meet there whatever their ServiceAccount's namespace is.
const claimNamespace = "kube-system"

// Defaults of a registration's optional fields.
const (
	DefaultAccountNamespace = "kube-system"
	DefaultAccountName      = "ccluster-manager"
	DefaultClusterRole      = "cluster-admin"
)

// Wanted is what a registration wants on its infra plane, with defaults filled in.
type Wanted struct {
	Marker  Marker
	Account types.NamespacedName
	Binding ccluster.Binding
	// ClusterRole is unused with BindingNone.
	ClusterRole string
	// Namespaces are sorted; only for BindingRoleBindings.
	Namespaces []string
	// ClaimPerAccount lets several registrations of one control plane share the
	// cluster, each with a ServiceAccount of its own.
	ClaimPerAccount bool
	// Adopt takes over unmarked objects of the expected shape.
	Adopt bool
}

// WantedFor reads a registration's spec.
func WantedFor(marker Marker, spec *ccluster.ClusterRegistrationSpec, claimPerAccount bool) Wanted {
	w := Wanted{
		Marker:          marker,
		Account:         types.NamespacedName{Namespace: DefaultAccountNamespace, Name: DefaultAccountName},
		Binding:         ccluster.BindingClusterRoleBinding,
		ClusterRole:     DefaultClusterRole,
		ClaimPerAccount: claimPerAccount,
		Adopt:           spec.Adoption == ccluster.AdoptionUnmarked,
	}
	if sa := spec.ServiceAccount; sa != nil {
		w.Account.Namespace = orDefault(sa.Namespace, w.Account.Namespace)
		w.Account.Name = orDefault(sa.Name, w.Account.Name)
	}
	if a := spec.Access; a != nil {
		w.Binding = orDefault(a.Binding, w.Binding)
		w.ClusterRole = orDefault(a.ClusterRoleName, w.ClusterRole)
		if w.Binding == ccluster.BindingRoleBindings {
			w.Namespaces = slices.Sorted(slices.Values(a.Namespaces))
		}
	}
	return w
}

func orDefault[T ~string](value, fallback T) T {
	if value == "" {
		return fallback
	}
	return value
}

// isClusterAdmin tells that the account may do everything.
func (w Wanted) isClusterAdmin() bool {
	return w.Binding == ccluster.BindingClusterRoleBinding && w.ClusterRole == DefaultClusterRole
}

// KeepsTokens tells whether the account may work with the Secrets of its namespace, and so
// get, replace and withdraw its own tokens. Whoever may make Secrets in kube-system can have
// a token of any controller there: a weaker account must not, and its tokens take an
// administrator's credential.
func (w Wanted) KeepsTokens() bool {
	return w.isClusterAdmin() || (w.Binding != ccluster.BindingNone && w.Account.Namespace != claimNamespace)
}

// Username is what the plane's API server calls the account.
func (w Wanted) Username() string {
	return "system:serviceaccount:" + w.Account.Namespace + ":" + w.Account.Name
}

func (w Wanted) claimName() string {
	name := "ccluster-claim-" + w.Marker.ControlPlaneID
	if w.ClaimPerAccount {
		sum := sha256.Sum256([]byte(w.Account.String()))
		name += "-" + hex.EncodeToString(sum[:5])
	}
	return name
}

// bindingName is the ClusterRoleBinding's, or that of every RoleBinding.
func (w Wanted) bindingName() string {
	return "ccluster:" + w.Account.Namespace + ":" + w.Account.Name
}

// selfName is the Role and RoleBinding by which the account looks after itself.
func (w Wanted) selfName() string { return w.Account.Name + "-self" }

// selfClusterName is the cluster-scoped counterpart, for BindingRoleBindings.
func (w Wanted) selfClusterName() string { return w.bindingName() + ":self" }

// FirstTokenName is the first token Secret's name, or the first anchor's.
func (w Wanted) FirstTokenName() string { return w.Account.Name + "-token" }
