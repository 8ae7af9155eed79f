// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ErrForeign says that an object which Create was to make is someone else's.
// Find it with errors.As on a *ErrForeign.
type ErrForeign struct { //nolint:errname // the fixed public name, read like the sentinel errors beside it
	// Kind, Namespace and Name identify the object; Namespace is empty for a
	// cluster-scoped one.
	Kind, Namespace, Name string
	// Managers are the field managers found on the object, sorted, each once.
	Managers []string
	// Err is the server's conflict error, if that is how they were found.
	Err error
}

// Error is deterministic: it names the object and its managers, nothing else.
func (e *ErrForeign) Error() string {
	name := e.Name
	if e.Namespace != "" {
		name = e.Namespace + "/" + e.Name
	}
	return fmt.Sprintf("%s %s already exists and is managed by %s", e.Kind, name, strings.Join(e.Managers, ", "))
}

// Unwrap gives the server's conflict error, or nil.
func (e *ErrForeign) Unwrap() error { return e.Err }

func newErrForeign(id identity, managers []string, cause error) *ErrForeign {
	managers = slices.Clone(managers)
	slices.Sort(managers)
	return &ErrForeign{
		Kind: id.gvk.Kind, Namespace: id.namespace, Name: id.name,
		Managers: slices.Compact(managers), Err: cause,
	}
}

// foreignManagers are the managers of the object's main content besides owner.
// Subresources are left out: a controller reports on objects of any owner there.
func foreignManagers(fields []metav1.ManagedFieldsEntry, owner string) []string {
	var managers []string
	for _, f := range fields {
		if f.Subresource == "" && f.Manager != owner {
			managers = append(managers, f.Manager)
		}
	}
	return managers
}
