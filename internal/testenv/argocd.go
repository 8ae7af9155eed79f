// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"os"
	"path/filepath"
)

// ArgoCDAssets is the folder that make argocd-bin fills, below the repository's root, or the one
// that CCLUSTER_ARGOCD_ASSETS names.
func ArgoCDAssets(root string) string {
	if folder := os.Getenv("CCLUSTER_ARGOCD_ASSETS"); folder != "" {
		return folder
	}
	return filepath.Join(root, "bin", "argocd")
}

// ArgoCDCRDs is the folder of Argo CD's CRDs.
func ArgoCDCRDs(root string) string { return filepath.Join(ArgoCDAssets(root), "crds") }
