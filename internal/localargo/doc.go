// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package localargo runs the real Argo CD beside local planes: its application controller and
// repository server with the Redis and the Helm that they need, a repository of charts, and
// simulated nodes. Everything listens on loopback alone, and ends with this process.
//
// It is for tests and the quickstart. There is no Argo CD API server.
package localargo
