// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package localnode gives a local control plane a node that is simulated by kwok: Pods on it become
// Ready and have logs, and with restartPolicy Never they end: with the command false they fail, with
// sleep they run on, with any other or none they succeed. With restartPolicy OnFailure those that
// would fail run on, and with Always all do. No container is run.
//
// With Options.Scheduler the real kube-scheduler binds Pods to it; else they have to name it.
package localnode
