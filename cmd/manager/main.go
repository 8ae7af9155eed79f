// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Command manager runs the controllers of ccluster-go on a control plane.
package main

import (
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/ccluster-go/ccluster-go/internal/manager"
)

func main() {
	os.Exit(manager.Main(ctrl.SetupSignalHandler(), os.Args[1:], os.Stdout, os.Stderr))
}
