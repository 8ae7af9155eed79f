// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// connectAdmin dials the final endpoint with the bootstrap's credential and requires
// the answer of a Kubernetes API server.
func (r *Reconciler) connectAdmin(ctx context.Context, s *scope, credential kubeconfig.Credential) error {
	conn, err := r.pool.Fresh(s.key, s.endpoint, credential)
	if err != nil {
		return s.no(v1alpha1.ConditionReachable, onPlane(err))
	}
	s.conn, s.admin = conn, true
	if err := r.identify(ctx, s); err != nil {
		return err
	}
	return r.openPlane(s)
}

// connectOwn does the same with the registration's own token.
func (r *Reconciler) connectOwn(s *scope) error {
	conn, err := r.pool.Connect(s.key, s.endpoint, kubeconfig.Credential{BearerToken: s.stored.token.Value})
	if err != nil {
		return s.no(v1alpha1.ConditionReachable, onPlane(err))
	}
	s.conn = conn
	return r.openPlane(s)
}

func (r *Reconciler) openPlane(s *scope) error {
	plane, err := provision.New(s.conn.Client(), Owner, s.wanted)
	if err != nil {
		return err
	}
	s.plane = plane.WithClock(r.clock.Now)
	if !s.admin {
		s.plane.AsAccount()
	}
	return nil
}

// identify asks what answers at the endpoint.
func (r *Reconciler) identify(ctx context.Context, s *scope) error {
	version, err := s.conn.Version(ctx)
	if err != nil {
		return s.no(v1alpha1.ConditionReachable, onPlane(err))
	}
	uid, err := s.conn.ClusterUID(ctx)
	if kind := remote.Classify(err).Kind; kind == remote.Forbidden || kind == remote.Unauthorized {
		p := onPlane(err)
		p.message = "Reading Namespace kube-system: " + p.message
		return s.no(v1alpha1.ConditionReachable, p)
	}
	if err != nil {
		return s.no(v1alpha1.ConditionReachable, onPlane(err))
	}
	if s.stored != nil && s.report.clusterUID != "" && s.report.clusterUID != string(uid) {
		return s.no(v1alpha1.ConditionReachable, waiting(r.options.CheckPeriod, v1alpha1.ReasonClusterIdentityChanged,
			"Another cluster answers at %s than the one that was registered: delete this registration and create it again to move to it", s.endpoint.Server))
	}
	s.report.version, s.report.clusterUID = version.GitVersion, string(uid)
	s.yes(v1alpha1.ConditionReachable, v1alpha1.ReasonConnected, "")
	return nil
}
