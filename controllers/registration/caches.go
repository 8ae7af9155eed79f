// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// SecretCache says which Secrets a manager's cache holds: those that this controller
// has written, and no others of the cluster.
func SecretCache() map[client.Object]cache.ByObject {
	return map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Label: labels.SelectorFromSet(labels.Set{v1alpha1.ManagedLabel: v1alpha1.ManagedCredentials})},
	}
}

// BootstrapCache holds the metadata of Secrets with the bootstrap label; their content
// is in no cache. Namespaces limit it; none means all.
func BootstrapCache(cfg *rest.Config, scheme *runtime.Scheme, namespaces []string) (cache.Cache, error) {
	exists, err := labels.Parse(v1alpha1.BootstrapLabel)
	if err != nil {
		return nil, fmt.Errorf("select bootstrap Secrets: %w", err)
	}
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	options := cache.Options{
		Scheme:            scheme,
		DefaultNamespaces: InNamespaces(namespaces),
		ByObject:          map[client.Object]cache.ByObject{secret: {Label: exists}},
	}
	return cache.New(cfg, options)
}

// InNamespaces limits a cache to namespaces; none means all.
func InNamespaces(namespaces []string) map[string]cache.Config {
	if len(namespaces) == 0 {
		return nil
	}
	limited := make(map[string]cache.Config, len(namespaces))
	for _, n := range namespaces {
		limited[n] = cache.Config{}
	}
	return limited
}
