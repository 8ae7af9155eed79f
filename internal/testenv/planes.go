// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

const (
	// logDirVariable names a folder in which the planes' logs survive, one
	// subfolder per suite.
	logDirVariable = "ENVTEST_LOG_DIR"

	stopTimeout = 30 * time.Second
)

// Planes starts planes side by side and stops them when tb's cleanup runs: at
// the end of the suite when called from BeforeSuite, at the end of the test in
// a plain test. It also sets the Defaults.
func Planes(tb testing.TB, opts ...localplane.Options) []*localplane.Plane {
	tb.Helper()
	Defaults()
	ctx := tb.Context()
	planes, err := start(ctx, opts)
	if err != nil {
		tb.Fatalf("start planes: %v", err)
	}
	tb.Cleanup(func() {
		if err := stop(ctx, planes); err != nil {
			tb.Errorf("stop planes: %v", err)
		}
	})
	return planes
}

// start lets ctx cancel the start only: the planes outlive the node or test
// that starts them.
func start(ctx context.Context, opts []localplane.Options) ([]*localplane.Plane, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, end)
	planes, err := localplane.StartAll(life, withLogDir(opts)...)
	if err != nil {
		end()
		return nil, err
	}
	if !release() {
		// ctx ended at the very end of the start, and the planes with it.
		return nil, errors.Join(context.Cause(ctx), stop(ctx, planes))
	}
	return planes, nil
}

func stop(ctx context.Context, planes []*localplane.Plane) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return localplane.StopAll(ctx, planes...)
}

func withLogDir(opts []localplane.Options) []localplane.Options {
	dir := os.Getenv(logDirVariable)
	if dir == "" {
		return opts
	}
	suite := filepath.Base(os.Args[0])
	with := make([]localplane.Options, len(opts))
	for i, o := range opts {
		if o.LogDir == "" {
			o.LogDir = filepath.Join(dir, suite)
		}
		with[i] = o
	}
	return with
}
