// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package infraplane reconciles CCLInfraPlanes: each becomes a cluster Secret in Argo CD's
// namespace and a destination of its namespace's AppProject, and is checked from time to time.
//
// Nothing here is made on an infra plane, and no Application is written but for the annotation
// that asks Argo CD to look again.
package infraplane
