// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// kubectl is the program, kept from the user's own settings.
type kubectl struct {
	binary string
	// cache is a folder for what it learns of a server.
	cache string
}

// commandTimeout bounds a command that a server does not answer.
const commandTimeout = 30 * time.Second

// run runs a command with a kubeconfig and returns what it prints.
func (k kubectl) run(ctx context.Context, kubeconfig string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	args = append([]string{"--cache-dir=" + k.cache}, args...)
	cmd := exec.CommandContext(ctx, k.binary, args...) //nolint:gosec // the program that was built for this
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "KUBERC=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", args[1], err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// shown is how to call the program from the folder that this one runs in.
func (k kubectl) shown() string {
	here, err := os.Getwd()
	if err != nil {
		return filepath.Base(k.binary)
	}
	relative, err := filepath.Rel(here, k.binary)
	if err != nil || strings.HasPrefix(relative, "..") {
		return filepath.Base(k.binary)
	}
	return relative
}
