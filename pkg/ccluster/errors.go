// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"errors"
	"fmt"
)

// ErrManagedByRegistration says that an object is kept by a ClusterRegistration and
// must be changed through that.
var ErrManagedByRegistration = errors.New("managed by a ClusterRegistration: change or delete that instead")

// NotControlledError says that an object exists and is not controlled by the owner
// given with WithController. Find it with errors.As on a *NotControlledError.
type NotControlledError struct {
	Kind, Namespace, Name string
	// Former tells that an earlier object of the owner's kind and name controls it:
	// it is about to be garbage-collected.
	Former bool
}

// Error names the object.
func (e *NotControlledError) Error() string {
	if e.Former {
		return fmt.Sprintf("%s %s/%s of an earlier object of the same name is still being removed", e.Kind, e.Namespace, e.Name)
	}
	return fmt.Sprintf("%s %s/%s exists and belongs to somebody else: remove it or choose another name", e.Kind, e.Namespace, e.Name)
}
