// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localargo

import (
	"os"
	"path/filepath"
)

// Assets is the folder that make argocd-bin fills, below the repository's root, or the one
// that CCLUSTER_ARGOCD_ASSETS names.
func Assets(root string) string {
	if folder := os.Getenv("CCLUSTER_ARGOCD_ASSETS"); folder != "" {
		return folder
	}
	return filepath.Join(root, "bin", "argocd")
}

// CRDs is the folder of Argo CD's CRDs, which make argocd-manifests is enough for.
func CRDs(root string) string { return filepath.Join(Assets(root), "crds") }
