// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// exitInterrupted is what a shell reports for a process ended by an interrupt.
const exitInterrupted = 130

// Main is a whole TestMain: it starts planes, hands them to use, runs the tests
// and stops the planes, also when the run is interrupted. Its result is the
// exit code.
//
//	func TestMain(m *testing.M) {
//		os.Exit(testenv.Main(m, func(p []*localplane.Plane) { plane = p[0] }, localplane.Options{}))
//	}
func Main(m *testing.M, use func([]*localplane.Plane), opts ...localplane.Options) int {
	Defaults()
	root := context.Background() //nolint:forbidigo // before the tests, nobody has another
	ctx, cancel := signal.NotifyContext(root, os.Interrupt, syscall.SIGTERM)
	defer cancel()
	planes, err := start(ctx, opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start planes:", err)
		return 1
	}
	release := context.AfterFunc(ctx, func() {
		// The tests cannot be told to end, so the process does.
		if err := stop(ctx, planes); err != nil {
			fmt.Fprintln(os.Stderr, "stop planes:", err)
		}
		os.Exit(exitInterrupted)
	})
	use(planes)
	code := m.Run()
	if !release() {
		select {} // interrupted: the function above ends the process
	}
	if err := stop(ctx, planes); err != nil {
		fmt.Fprintln(os.Stderr, "stop planes:", err)
		return 1
	}
	return code
}
