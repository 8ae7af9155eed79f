// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"io"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/ccluster-go/ccluster-go/internal/version"
)

// Exit codes of Main.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Main is the program: it runs until ctx ends and returns the exit code. It logs to
// stderr.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := Parse(args)
	switch {
	case errors.Is(err, ErrHelp):
		_, _ = io.WriteString(stdout, Usage())
		return 0
	case errors.Is(err, ErrVersion):
		_, _ = fmt.Fprintln(stdout, "manager", version.String())
		return 0
	case err != nil:
		_, _ = fmt.Fprintln(stderr, err)
		return exitUsage
	}
	logger := NewLogger(stderr, &o)
	if err := UseLogger(logger, &o); err != nil {
		logger.Error(err, "Could not set up logging")
		return exitFailed
	}
	cfg, err := ctrl.GetConfig()
	if err != nil {
		logger.Error(err, "Found no control plane: run in a cluster, or set KUBECONFIG")
		return exitFailed
	}
	if err := Run(ctx, cfg, o); err != nil {
		logger.Error(err, "The manager ended")
		return exitFailed
	}
	logger.Info("The manager was stopped")
	return 0
}
