// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package e2e has the suite on real Argo CD. Its files have the build tag e2e, since it needs what
// make argocd-bin builds: make e2e runs it.
package e2e
