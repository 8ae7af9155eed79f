// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package argocd holds the small part of Argo CD's API that is used here, as
// types of its own: Argo CD's module is large and is not imported.
package argocd
