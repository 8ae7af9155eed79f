// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"fmt"
	"os"
	"path/filepath"
)

// Files of the workshop.
const (
	controlKubeconfig = "control.kubeconfig"
	infraKubeconfig   = "infra.kubeconfig"
	tokenKubeconfig   = "token.kubeconfig"
	managerLog        = "manager.log"
)

// workshop is a folder of our own, which only the user can enter.
type workshop struct{ dir string }

func newWorkshop() (*workshop, error) {
	dir, err := os.MkdirTemp("", "ccluster-quickstart-")
	if err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	return &workshop{dir}, nil
}

func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

// write writes a file that only the user can read.
func (w *workshop) write(name string, content []byte) error {
	if err := os.WriteFile(w.path(name), content, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (w *workshop) remove() error {
	if err := os.RemoveAll(w.dir); err != nil {
		return fmt.Errorf("remove work folder: %w", err)
	}
	return nil
}
