// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package conditionstest has gomega matchers for condition lists that ignore
// lastTransitionTime. It is for tests only, and asserts nothing about the time:
// that is covered where the time is decided, in package conditions.
package conditionstest
