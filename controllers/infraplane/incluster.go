// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// runInCluster works on a plane of the operator's own cluster: Argo CD knows that one without a
// cluster Secret, so all there is to do is the project.
func (r *Reconciler) runInCluster(ctx context.Context, s *scope) error {
	if !r.options.inClusterAllowed(s.key.Namespace) {
		return s.no(waiting(0, v1alpha1.ReasonReferenceNotPermitted,
			"A plane without `spec.clusterCredentialsRef` is the operator's own cluster, which needs the manager's --allow-in-cluster for this namespace: name the credentials, or ask who runs the manager"))
	}
	if err := r.removeMirror(ctx, s); err != nil {
		return s.no(onControlPlane(err))
	}
	s.server, s.secretName = argocd.InClusterServer, ""
	if err := r.ensureProject(ctx, s); err != nil {
		return err
	}
	s.record.nextCheck = r.clock.Now().Add(r.jitter(r.options.CheckPeriod))
	s.conds.Set(v1alpha1.ConditionAvailable, metav1.ConditionTrue, v1alpha1.ReasonAvailable, "")
	return nil
}
