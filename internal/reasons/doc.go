// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package reasons says which reason of a condition a failed call to an infra plane has, and what
// to do about it: once for all controllers, so that the same failure is told in the same words.
package reasons
