// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package remote connects to the API servers of infra planes, whose addresses
// come from tenants and whose answers cannot be trusted.
//
// A [Pool] holds the rules ([Policy]) and one connection ([Conn]) per plane. A
// Conn resolves, checks and dials the same address, follows no redirect, uses
// no proxy of the environment, bounds time, size and concurrency of every
// request, and turns whatever the server says into a [Failure] with a fixed
// text: no error from this package carries text of a remote server or a byte
// of a credential.
//
// The package keeps no informers, does no discovery and does not retry; callers
// space their attempts with [Backoff]. Answers are buffered whole, so watches
// and followed logs are out of its scope.
//
// One leak is not the package's to close: net/http quotes bytes that a server
// sends unasked on an idle HTTP/1.1 connection to the standard logger of package
// log, which a program that uses this package should discard.
package remote
