// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// SecretCache says which Secrets a manager's cache holds: the credentials that registrations have
// written. Those of somebody else are read live.
func SecretCache() map[client.Object]cache.ByObject {
	return map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Label: labels.SelectorFromSet(labels.Set{v1alpha1.ManagedLabel: v1alpha1.ManagedCredentials})},
	}
}

// ClusterCache holds the cluster Secrets of Argo CD's namespace, whoever has made them: a server
// may have one only.
func ClusterCache(cfg *rest.Config, scheme *runtime.Scheme, namespace string) (cache.Cache, error) {
	selector, err := labels.ValidatedSelectorFromSet(labels.Set{argocd.SecretTypeLabel: argocd.SecretTypeCluster})
	if err != nil {
		return nil, fmt.Errorf("select cluster Secrets: %w", err)
	}
	return cache.New(cfg, cache.Options{
		Scheme:            scheme,
		DefaultNamespaces: map[string]cache.Config{namespace: {}},
		ByObject:          map[client.Object]cache.ByObject{&corev1.Secret{}: {Label: selector}},
	})
}
