// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apicases is one table of requests that the API must accept or reject, at least one of
// each for every rule in the CRD schemas. The same table runs against a real API server
// (test/envtest/api) and against the offline check (pkg/ccluster), which must agree.
package apicases
