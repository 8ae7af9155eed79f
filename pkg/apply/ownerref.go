// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// OwnerRef is the reference that makes owner the controller of an object, with
// controller and blockOwnerDeletion set. The owner must be one the server has
// made: without a UID the reference would never match, which is an error, as is
// a type that the scheme does not know. It does not check that a namespaced
// owner is referenced from its own namespace only.
func OwnerRef(owner client.Object, scheme *runtime.Scheme) (*metav1ac.OwnerReferenceApplyConfiguration, error) {
	if isNil(owner) {
		return nil, errors.New("build owner reference: owner must not be nil")
	}
	gvk, err := apiutil.GVKForObject(owner, scheme)
	if err != nil {
		return nil, fmt.Errorf("build owner reference: %w", err)
	}
	if owner.GetName() == "" || owner.GetUID() == "" {
		return nil, fmt.Errorf("build owner reference: %s %q must have a name and a uid", gvk.Kind, owner.GetName())
	}
	return metav1ac.OwnerReference().
		WithAPIVersion(gvk.GroupVersion().String()).
		WithKind(gvk.Kind).
		WithName(owner.GetName()).
		WithUID(owner.GetUID()).
		WithController(true).
		WithBlockOwnerDeletion(true), nil
}
