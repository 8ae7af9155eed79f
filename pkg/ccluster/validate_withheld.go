// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import "k8s.io/apimachinery/pkg/util/sets"

// withheld are the fields whose rejected value must not be printed: the rejected part of an
// address may be a password.
var withheld = sets.New(
	"spec.endpoint.server",
	"spec.endpoint.proxyURL",
)
