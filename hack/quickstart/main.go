// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Command quickstart starts two control planes on this machine and registers one with the other.
// It runs in the repository's folder, until it is interrupted or, with QUICKSTART_EXIT=1, until it
// has shown everything. It fails if anything on the way does.
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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := quickstart.Run(ctx, quickstart.Options{
		Out:   os.Stdout,
		Color: os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(os.Stdout.Fd())),
		Exit:  os.Getenv("QUICKSTART_EXIT") == "1",
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1) //nolint:gocritic // what is deferred only restores signals
	}
}
