// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import "strings"

// reservedDomains are those of keys that mean something to Kubernetes, Argo CD or this project.
var reservedDomains = []string{"argocd.argoproj.io", "ccluster.nvidia.com", "kubernetes.io", "k8s.io"}

// Reserved tells label and annotation keys that are not copied to a cluster Secret.
func Reserved(key string) bool {
	domain, _, found := strings.Cut(key, "/")
	if !found {
		return false
	}
	for _, r := range reservedDomains {
		if domain == r || strings.HasSuffix(domain, "."+r) {
			return true
		}
	}
	return false
}

// Unreserved are the entries that are copied.
func Unreserved(entries map[string]string) map[string]string {
	copied := map[string]string{}
	for key, value := range entries {
		if !Reserved(key) {
			copied[key] = value
		}
	}
	return copied
}
