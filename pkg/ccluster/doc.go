// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ccluster is the client library of the ccluster.nvidia.com API: it
// applies, reads, waits for and deletes the API's objects in one namespace, and
// validates them offline. The manager uses it for its own writes.
//
// Only Probe talks to an infra plane, through the client that it is given.
package ccluster
