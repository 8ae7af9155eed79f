// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// childVariable makes the test binary a program that only runs a plane.
const childVariable = "LOCALPLANE_TEST_CHILD"

const (
	careful  = "careful"  // stops its plane on an interrupt
	careless = "careless" // knows nothing of signals
)

func runChild(mode string) int {
	ctx := context.Background() //nolint:forbidigo // a program of its own, not a test
	if mode == careful {
		var release context.CancelFunc
		ctx, release = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer release()
	}
	p, err := localplane.Start(ctx, localplane.Options{Name: mode})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	_, _ = fmt.Fprintln(os.Stdout, "ready") // unread only when the test is over
	<-ctx.Done()
	if err := p.Stop(context.WithoutCancel(ctx)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	return 0
}
