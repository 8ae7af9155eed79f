// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package localplane runs real Kubernetes control planes (etcd, the API server
// and the controller manager) as child processes on loopback, for the
// quickstart and for every test suite. Planes run side by side: each has a
// work folder, a certificate authority and a port of its own. It is no
// cluster: there are no nodes, no scheduler and no DNS.
//
// # Why the processes are started here
//
// controller-runtime's envtest starts etcd and an API server too, and its CRD
// installation is used here. Its process type is not, for four reasons: its
// children outlive a parent that is killed; its certificate authority can
// only be had by starting its processes; its etcd, which asks for no
// credentials, listens on TCP where every local user reaches it; and a free
// port is chosen by closing a listener, so that a second suite can take it
// before the child does. Here etcd listens on a Unix socket in a folder only
// the owner can enter, and the API server's port stays reserved even while
// the server is down.
//
// # Life of the child processes
//
// A plane ends with Stop, or when the context given to Start ends. On Linux
// the kernel also kills each child when the parent dies without a chance to
// do either; its work folder is then removed by the next Start on the machine.
// On other systems a killed parent leaves the children running.
package localplane
