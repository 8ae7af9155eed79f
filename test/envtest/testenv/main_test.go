// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package testenv_test uses internal/testenv as plain tests do.
package testenv_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

// waitVariable makes the test binary start its plane and then only wait.
const waitVariable = "TESTENV_TEST_WAIT"

var plane *localplane.Plane

func TestMain(m *testing.M) {
	use := func(planes []*localplane.Plane) { plane = planes[0] }
	if os.Getenv(waitVariable) != "" {
		use = func([]*localplane.Plane) {
			_, _ = fmt.Fprintln(os.Stdout, "ready") // unread only when the test is over
			select {}
		}
	}
	os.Exit(testenv.Main(m, use, localplane.Options{Name: "main", WithoutControllerManager: true}))
}
