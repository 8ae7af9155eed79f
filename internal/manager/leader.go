// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"os"
	"strings"
)

// LeaseName is the name of the Lease that managers compete for.
const LeaseName = "ccluster-manager"

// podNamespaceFile tells a pod its own namespace.
const podNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// leaseNamespace is where the Lease is: the given namespace, or the pod's own.
func leaseNamespace(given, podFile string) (string, error) {
	if given != "" {
		return given, nil
	}
	content, err := os.ReadFile(podFile) //nolint:gosec // a fixed path
	if own := strings.TrimSpace(string(content)); err == nil && own != "" {
		return own, nil
	}
	return "", errors.New("outside a cluster there is no namespace for the Lease: set --leader-elect-namespace, or --leader-elect=false if no other manager runs")
}
