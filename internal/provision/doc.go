// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package provision makes, finds and removes what a registration keeps on an
// infra plane: a claim, a ServiceAccount, its rights and its token. It works with
// whatever client it is given, an admin's or the registered account's own, and
// knows nothing of the control plane's objects.
package provision
