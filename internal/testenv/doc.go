// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package testenv is what test suites share: planes that live as long as a
// suite, a namespace per test, and one set of waiting times. It works with
// ginkgo (pass GinkgoTB()) and with plain tests, and imports neither ginkgo nor
// any controller.
package testenv
