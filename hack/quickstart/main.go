// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Command quickstart starts two control planes on this machine and registers one with the other.
// It runs in the repository's folder, until it is interrupted or, with QUICKSTART_EXIT=1, until it
// has shown everything. With ARGOCD=1 it runs Argo CD too, and deploys a chart with it. It fails if anything on the way does.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/ccluster-go/ccluster-go/internal/quickstart"
)

func main() { os.Exit(run()) }

// interrupted is what a shell reports for a program ended by an interrupt.
const interrupted = 130

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := quickstart.Run(ctx, quickstart.Options{
		Out:    os.Stdout,
		Color:  os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(os.Stdout.Fd())),
		ArgoCD: os.Getenv("ARGOCD") == "1",
		Exit:   os.Getenv("QUICKSTART_EXIT") == "1",
	})
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nquickstart: interrupted before it was done")
		return interrupted
	}
	fmt.Fprintln(os.Stderr, "quickstart:", err)
	return 1
}
