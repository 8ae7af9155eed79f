// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// inCluster registers the manager's own cluster, which needs nothing but a permission.
func (r *Reconciler) inCluster(s *scope) error {
	if !r.options.inClusterAllowed(s.key.Namespace) {
		return s.no(v1alpha1.ConditionBootstrapAccepted, waiting(0, v1alpha1.ReasonReferenceNotPermitted,
			"`spec.inCluster` is not allowed in this namespace: ask who runs the manager for --allow-in-cluster"))
	}
	for _, condition := range []string{
		v1alpha1.ConditionBootstrapAccepted, v1alpha1.ConditionReachable,
		v1alpha1.ConditionAuthorized, v1alpha1.ConditionTokenIssued,
	} {
		s.yes(condition, v1alpha1.ReasonNotRequired, "The manager's own cluster needs no credential")
	}
	return nil
}
