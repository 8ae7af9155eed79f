// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import "strings"

// InClusterServer reports whether an address names the API server of the
// cluster that the caller runs in, https://kubernetes.default.svc, in any
// spelling: any of its short names, any cluster domain, any port or path. It
// takes what CanonicalServer returns and, to be safe, anything else too. It
// judges the name only, not the address that a name resolves to.
func InClusterServer(canonical string) bool {
	host := strings.ToLower(strings.TrimSpace(canonical))
	if c, err := CanonicalServer(host); err == nil {
		host = c
	}
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	if i := strings.IndexAny(host, `/\?#`); i >= 0 {
		host = host[:i]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	host, _, _ = strings.Cut(host, ":")
	host = strings.TrimRight(host, ". ")
	switch host {
	case "kubernetes", "kubernetes.default", "kubernetes.default.svc":
		return true
	}
	return strings.HasPrefix(host, "kubernetes.default.svc.")
}
