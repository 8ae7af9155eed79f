// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"fmt"
	"os"
	"path/filepath"
)

// sampleKubeconfig is the placeholder among the samples.
const sampleKubeconfig = "edge-1.kubeconfig"

// copySamples copies the samples with a kubeconfig in the place of the placeholder.
func copySamples(from, to string, kubeconfig []byte) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("read samples: %w; run it in the repository's folder", err)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return fmt.Errorf("copy samples: %w", err)
	}
	replaced := false
	for _, entry := range entries {
		content := kubeconfig
		if entry.Name() == sampleKubeconfig {
			replaced = true
		} else if content, err = os.ReadFile(filepath.Join(from, entry.Name())); err != nil { //nolint:gosec // the repository's own file
			return fmt.Errorf("read sample: %w", err)
		}
		if err := os.WriteFile(filepath.Join(to, entry.Name()), content, 0o600); err != nil { //nolint:gosec // a name that the folder has
			return fmt.Errorf("copy sample: %w", err)
		}
	}
	if !replaced {
		return fmt.Errorf("copy samples: there is no %s in %s", sampleKubeconfig, from)
	}
	return nil
}
