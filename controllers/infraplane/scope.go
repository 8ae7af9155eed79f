// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// scope is what one pass reads, finds out and reports.
type scope struct {
	plane  *v1alpha1.CCLInfraPlane
	key    types.NamespacedName
	record *record
	conds  *conditions.Builder
	events []notice

	// secret is the credentials Secret, cluster what is in it, endpoint how it is reached.
	secret   *corev1.Secret
	cluster  argocd.Cluster
	endpoint kubeconfig.Endpoint

	// drained tells that the plane goes, and nothing deploys to it.
	drained bool
	// server and secretName are what the status reports.
	server, secretName string
}

func (s *scope) inCluster() bool { return s.plane.Spec.ClusterCredentialsRef.Name == "" }

// clusterName is the plane's name in Argo CD.
func (s *scope) clusterName() string {
	if s.inCluster() {
		return argocd.InClusterName
	}
	return argocd.ClusterName(s.key.Namespace, s.key.Name)
}

// registered tells that a ClusterRegistration keeps the plane.
func (s *scope) registered() bool {
	controller := metav1.GetControllerOf(s.plane)
	return controller != nil && controller.Kind == v1alpha1.ClusterRegistrationKind
}

// no reports a problem, and returns it, to stop the pass with.
func (s *scope) no(p *problem) *problem {
	s.conds.Set(v1alpha1.ConditionAvailable, metav1.ConditionFalse, p.reason, "%s", p.message)
	return p
}
