// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"path/filepath"
	"strconv"
)

// Files of the work folder, which is every child's working folder too. The
// sockets are named relative to it: an absolute path could be longer than a
// socket's address may be.
const (
	etcdSocket      = "etcd.sock"
	etcdPeerSocket  = "peer.sock"
	etcdDataDir     = "etcd"
	caFile          = "ca.crt"
	caKeyFile       = "ca.key"
	servingCertFile = "serving.crt"
	servingKeyFile  = "serving.key"
	signingKeyFile  = "service-accounts.key"
	signingPubFile  = "service-accounts.pub"
	managerConfFile = "controller-manager.kubeconfig"
	auditPolicyFile = "audit-policy.yaml"
	auditLogFile    = "audit.log"
)

const (
	loopback         = "127.0.0.1"
	serviceRange     = "10.0.0.0/24"
	serviceAddress   = "10.0.0.1" // the first of the range: kubernetes.default
	issuer           = "https://kubernetes.default.svc.cluster.local"
	adminUser        = "kubernetes-admin"
	managerUser      = "system:kube-controller-manager"
	superuserGroup   = "system:masters"
	clusterAuthority = "localplane"
)

func etcdFlags() flags {
	return flags{
		"data-dir": {etcdDataDir},
		// Nothing here survives the machine, so nothing has to reach its disk.
		"unsafe-no-fsync": {"true"},
		// The only member has nobody to wait for in an election.
		"heartbeat-interval":    {"20"},
		"election-timeout":      {"200"},
		"listen-client-urls":    {"unix://" + etcdSocket},
		"advertise-client-urls": {"unix://" + etcdSocket},
		"listen-peer-urls":      {"unix://" + etcdPeerSocket},
		"log-level":             {"warn"},
	}
}

func apiServerFlags(dir string, port int, o Options) flags {
	in := func(file string) []string { return []string{filepath.Join(dir, file)} }
	f := flags{
		"etcd-servers": {"unix://" + etcdSocket},
		"bind-address": {loopback},
		"secure-port":  {strconv.Itoa(port)},
		// Loopback must not be published as an endpoint, and there may be no
		// other address.
		"advertise-address":                {loopback},
		"endpoint-reconciler-type":         {"none"},
		"service-cluster-ip-range":         {serviceRange},
		"tls-cert-file":                    in(servingCertFile),
		"tls-private-key-file":             in(servingKeyFile),
		"client-ca-file":                   in(caFile),
		"service-account-issuer":           {issuer},
		"service-account-key-file":         in(signingPubFile),
		"service-account-signing-key-file": in(signingKeyFile),
		"authorization-mode":               {"RBAC"},
		// The host names of simulated nodes are no names of this machine.
		"kubelet-preferred-address-types": {"InternalIP"},
		"allow-privileged":                {"true"},
		"profiling":                       {"false"},
	}
	if o.WithoutControllerManager {
		// It rejects every pod whose service account nobody has made.
		f["disable-admission-plugins"] = []string{"ServiceAccount"}
	}
	if o.AuditLog {
		f["audit-policy-file"] = in(auditPolicyFile)
		f["audit-log-path"] = in(auditLogFile)
		f["audit-log-maxsize"] = []string{"0"} // never rotated: readers keep positions
	}
	return f.override(o.APIServerArgs)
}

func controllerManagerFlags(dir string, o Options) flags {
	in := func(file string) []string { return []string{filepath.Join(dir, file)} }
	return flags{
		"kubeconfig":                       in(managerConfFile),
		"service-account-private-key-file": in(signingKeyFile),
		"root-ca-file":                     in(caFile),
		"cluster-signing-cert-file":        in(caFile),
		"cluster-signing-key-file":         in(caKeyFile),
		"leader-elect":                     {"false"},
		"use-service-account-credentials":  {"false"},
		"secure-port":                      {"0"}, // serves nothing
		"profiling":                        {"false"},
		"kube-api-qps":                     {"500"},
		"kube-api-burst":                   {"1000"},
	}.override(o.ControllerManagerArgs)
}
