// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manager is the manager's command line and what it sets up: flags become
// Options, and Run turns Options into a running controller manager. The controllers'
// own logic is in controllers/.
package manager
