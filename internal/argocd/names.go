// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// What Argo CD knows a cluster Secret by, and what makes it look at an object again.
const (
	SecretTypeLabel   = "argocd.argoproj.io/secret-type"
	SecretTypeCluster = "cluster"
	RefreshAnnotation = "argocd.argoproj.io/refresh"
)

// The cluster that Argo CD itself runs in. It has no cluster Secret.
const (
	InClusterName   = "in-cluster"
	InClusterServer = "https://kubernetes.default.svc"
)

// maxName is the limit of a Secret's name.
const maxName = 253

// ClusterName is what a plane is called in Argo CD, and its cluster Secret: a namespace has no
// dot, so no two planes share a name. One that is too long ends with a hash of all of it.
func ClusterName(namespace, name string) string {
	full := namespace + "." + name
	if len(full) <= maxName {
		return full
	}
	sum := sha256.Sum256([]byte(full))
	hash := hex.EncodeToString(sum[:10])
	return full[:maxName-len(hash)-1] + "-" + hash
}

// ProjectName is the AppProject of a namespace.
func ProjectName(namespace string) string { return "ccluster-" + namespace }

// TenantOf is the namespace that an AppProject of this name would be of.
func TenantOf(project string) (string, bool) { return strings.CutPrefix(project, "ccluster-") }
