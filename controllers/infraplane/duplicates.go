// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// refuseDuplicates lets a server have one cluster Secret, whoever has made it: of two, Argo CD
// takes either, with its credential. Nobody is told whose the other one is.
func (r *Reconciler) refuseDuplicates(ctx context.Context, s *scope) error {
	taken, err := r.serverTaken(ctx, r.clusters, s)
	if err == nil && !taken && s.secretName == "" {
		// Before the first write the cache, which may be behind, is not enough.
		taken, err = r.serverTaken(ctx, r.live, s)
	}
	if err != nil {
		return s.no(onControlPlane(err))
	}
	if taken {
		return s.no(waiting(r.options.CheckPeriod, v1alpha1.ReasonServerAlreadyRegistered,
			"Another cluster of Argo CD has the server %s: remove that one first, or use another address", s.server))
	}
	return nil
}

// holds tells that the plane has had its cluster Secret for this server before the other one.
func (r *Reconciler) holds(ctx context.Context, s *scope) bool {
	live, found, err := r.readMirror(ctx, s)
	return err == nil && found && s.owns(live) && canonical(live) == s.server
}

func (r *Reconciler) serverTaken(ctx context.Context, reader client.Reader, s *scope) (bool, error) {
	var list corev1.SecretList
	err := reader.List(ctx, &list, client.InNamespace(r.options.ArgoCDNamespace),
		client.MatchingLabels{argocd.SecretTypeLabel: argocd.SecretTypeCluster})
	if err != nil {
		return false, fmt.Errorf("look for cluster Secrets of the same server: %w", err)
	}
	for i := range list.Items {
		if list.Items[i].Name != s.clusterName() && canonical(&list.Items[i]) == s.server {
			return true, nil
		}
	}
	return false, nil
}

// canonical is the server of anybody's cluster Secret, as well as it can be told.
func canonical(secret *corev1.Secret) string {
	server := strings.TrimSpace(string(secret.Data[argocd.KeyServer]))
	if c, err := kubeconfig.CanonicalServer(server); err == nil {
		return c
	}
	return strings.ToLower(strings.TrimRight(server, "/"))
}
