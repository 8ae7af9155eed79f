// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import "testing"

func TestInClusterServer(t *testing.T) {
	for _, server := range []string{
		"https://kubernetes",
		"https://kubernetes.default",
		"https://kubernetes.default.svc",
		"https://kubernetes.default.svc.cluster.local",
		"https://kubernetes.default.svc.corp.internal",
		"https://kubernetes.default.svc:443",
		"https://kubernetes.default.svc/",
		"https://kubernetes.default.svc:443/",
		"https://kubernetes.default.svc.",
		"https://kubernetes.default.svc.cluster.local.:443/",
		"https://kubernetes.default.svc:6443/path",
		"HTTPS://Kubernetes.DEFAULT.Svc",
		"https://ｋubernetes.default.svc",
		"https://kubernetes。default。svc",
		"http://kubernetes.default.svc",
		"kubernetes.default.svc:443",
		" kubernetes.default.svc ",
		"https://user:pass@kubernetes.default.svc",
		"https://kubernetes.default.svc?x",
	} {
		if !InClusterServer(server) {
			t.Errorf("InClusterServer(%q) = false, want true", server)
		}
	}
	for _, server := range []string{
		"",
		"https://edge.example",
		"https://kubernetes.example",
		"https://kubernetes.default.example",
		"https://kubernetes.other.svc",
		"https://my-kubernetes.default.svc",
		"https://kubernetes.default.svcs",
		"https://edge.example/kubernetes.default.svc",
		"https://kubernetes.default.svc@edge.example",
		"https://10.96.0.1",
		"https://[::1]:6443",
	} {
		if InClusterServer(server) {
			t.Errorf("InClusterServer(%q) = true, want false", server)
		}
	}
}
