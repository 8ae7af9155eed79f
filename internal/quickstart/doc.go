// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package quickstart shows the project at work on one machine: it starts two control planes,
// runs the manager on one of them and registers the other. It works in the repository, whose
// config folder it applies.
package quickstart
