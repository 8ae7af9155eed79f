// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// load reads the credentials Secret and decides on its bytes alone; nothing is dialled. The
// cache has what registrations write; a Secret of somebody else is read live.
func (r *Reconciler) load(ctx context.Context, s *scope) error {
	key := keyOf(s.key.Namespace, s.plane.Spec.ClusterCredentialsRef.Name)
	secret := &corev1.Secret{}
	err := r.client.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		err = r.live.Get(ctx, key, secret)
	}
	if apierrors.IsNotFound(err) {
		return s.no(waiting(r.options.CheckPeriod, v1alpha1.ReasonReferenceNotFound,
			"Secret %s does not exist: create it, or correct `spec.clusterCredentialsRef.name`", key.Name))
	}
	if err != nil {
		return s.no(onControlPlane(fmt.Errorf("read credentials: %w", err)))
	}
	cluster, err := argocd.ParseCluster(secret.Data)
	if err != nil {
		// Nothing of the Secret is in these errors.
		return s.no(waiting(r.options.CheckPeriod, v1alpha1.ReasonInvalidCredentials, "Secret %s: %s", key.Name, err))
	}
	if cluster.Server, err = kubeconfig.CanonicalServer(cluster.Server); err != nil {
		return s.no(waiting(r.options.CheckPeriod, v1alpha1.ReasonInvalidCredentials, "Secret %s: %s", key.Name, err))
	}
	tls := cluster.Config.TLSClientConfig
	s.secret, s.cluster, s.server = secret, cluster, cluster.Server
	s.endpoint = kubeconfig.Endpoint{
		Server: cluster.Server, CAData: tls.CAData, TLSServerName: tls.ServerName,
		ProxyURL: cluster.Config.ProxyURL, Insecure: tls.Insecure,
	}
	return nil
}

// permit applies the manager's rules for addresses to what Argo CD is going to dial without
// them.
func (r *Reconciler) permit(ctx context.Context, s *scope) error {
	err := r.pool.Check(ctx, s.endpoint)
	if err == nil {
		return nil
	}
	if remote.Classify(err).Kind == remote.InvalidConfig {
		return s.no(waiting(r.options.CheckPeriod, v1alpha1.ReasonInvalidCredentials,
			"Secret %s: the endpoint cannot be used as given: correct `server`, `caData`, `serverName` or `proxyUrl`", s.secret.Name))
	}
	return s.no(onPlane(s.server, err))
}
