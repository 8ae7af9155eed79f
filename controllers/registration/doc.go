// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package registration reconciles ClusterRegistrations: it turns an admin kubeconfig
// into an account and token of its own on the infra plane, stores them as
// `<name>-credentials` and a CCLInfraPlane, keeps all of it as it should be, and
// takes it away again.
//
// One pass runs steps in order and stops at the first that cannot be done. A step
// reads, decides, applies and sets its own condition; the status is written once, at
// the end.
package registration
