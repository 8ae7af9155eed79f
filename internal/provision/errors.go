// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"errors"
	"fmt"
)

// ErrLifeline says that an object by which the account works has to be made anew, which
// takes another credential than the account's own.
var ErrLifeline = errors.New("the account's own rights cannot be replaced with its own token")

// ForeignError reports an object of somebody else under a name that is needed.
type ForeignError struct {
	Kind, Namespace, Name string
}

// Error names the object and what to do.
func (e *ForeignError) Error() string {
	name := e.Name
	if e.Namespace != "" {
		name = e.Namespace + "/" + e.Name
	}
	return fmt.Sprintf("%s %s on the infra plane belongs to somebody else: remove it, or set spec.serviceAccount to another name", e.Kind, name)
}

// ClaimedError reports that another registration of this control plane has the
// cluster. It does not tell which: that may be in another tenant's namespace.
type ClaimedError struct {
	ConfigMap string
}

// Error says what to do.
func (e *ClaimedError) Error() string {
	return fmt.Sprintf("the cluster is already registered with this control plane: delete the other registration, or ConfigMap %s/%s on the infra plane if that registration is gone", claimNamespace, e.ConfigMap)
}

// TerminatingError reports an object that is being deleted and will be made again.
type TerminatingError struct {
	Kind, Namespace, Name string
}

// Error names the object.
func (e *TerminatingError) Error() string {
	return fmt.Sprintf("%s %s on the infra plane is being deleted", e.Kind, e.Name)
}
