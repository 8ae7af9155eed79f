// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// scope is what one pass reads, finds out and reports.
type scope struct {
	reg    *v1alpha1.ClusterRegistration
	key    types.NamespacedName
	record *record
	wanted provision.Wanted

	conds  *conditions.Builder
	report report
	events []notice

	// stored is the credential in `<name>-credentials`; nil if none can be used.
	stored *stored
	// endpoint is the final one: what is stored and dialled.
	endpoint kubeconfig.Endpoint
	// token is the one to be stored, minted whether it is not stored yet.
	token  provision.Token
	minted bool
	// refused tells that a token is not to be presented again, although its Secret is there.
	refused bool
	// inputs are what that token is issued for, renewAt when it is to be replaced.
	inputs  inputs
	renewAt time.Time
	// conn is the connection that the plane is worked on with, admin whether it is
	// the bootstrap's.
	conn  *remote.Conn
	admin bool
	plane *provision.Plane
	// account is the ServiceAccount's UID.
	account types.UID
	// prune tells that older token Secrets may be left on the plane.
	prune bool
	// deletion is how far a deletion is.
	deletion *problem
}

// report is the part of the status beside the conditions.
type report struct {
	server, version, clusterUID string
	account                     types.UID
	objects                     []v1alpha1.RemoteObject
	token                       v1alpha1.TokenStatus
	probe                       v1alpha1.ProbeStatus
	planeRef, secretRef         string
}

func reportOf(status *v1alpha1.ClusterRegistrationStatus) report {
	return report{
		server: status.Server, version: status.KubernetesVersion, clusterUID: status.ClusterUID,
		account: types.UID(status.ServiceAccount.UID), objects: status.RemoteObjects, token: status.Token, probe: status.Probe,
		planeRef: status.InfraPlaneRef.Name, secretRef: status.CredentialsSecretRef.Name,
	}
}

func (s *scope) yes(condition, reason, format string, args ...any) {
	s.conds.Set(condition, metav1.ConditionTrue, reason, format, args...)
}

// confirm is yes that keeps the words of a condition that is True already.
func (s *scope) confirm(condition, reason, format string, args ...any) {
	if c := s.conds.Get(condition); c.Status == metav1.ConditionTrue {
		s.yes(condition, c.Reason, "%s", c.Message)
		return
	}
	s.yes(condition, reason, format, args...)
}

// not reports a problem on a condition that ends nothing.
func (s *scope) not(condition string, p *problem) {
	s.conds.Set(condition, metav1.ConditionFalse, p.reason, "%s", s.advised(condition, p))
}

// no reports a problem on a condition, with what to do, and returns it, to stop the pass with.
func (s *scope) no(condition string, p *problem) *problem {
	s.not(condition, p)
	return p
}

// unknown is no for what simply is not known yet.
func (s *scope) unknown(condition string, p *problem) *problem {
	s.conds.Set(condition, metav1.ConditionUnknown, p.reason, "%s", s.advised(condition, p))
	return p
}

// close ends what belongs to this pass alone.
func (s *scope) close() {
	if s.admin && s.conn != nil && (s.record.session == nil || s.record.session.conn != s.conn) {
		s.conn.Close()
	}
}

// disconnect gives up the bootstrap's connection for another.
func (s *scope) disconnect() {
	s.close()
	s.conn, s.admin = nil, false
}

func (s *scope) objectKey(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: s.key.Namespace, Name: name}
}
