// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestEtcdOpensNoTCPPort(t *testing.T) {
	g := NewWithT(t)
	f := etcdFlags()
	for _, name := range []string{"listen-client-urls", "listen-peer-urls"} {
		g.Expect(f[name]).To(HaveEach(HavePrefix("unix://")), name)
	}
}

func TestAPIServerFlags(t *testing.T) {
	g := NewWithT(t)
	args := apiServerFlags("/w", 6443, Options{}).args()
	g.Expect(args).To(ContainElements(
		"--bind-address=127.0.0.1",
		"--secure-port=6443",
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-signing-key-file=/w/service-accounts.key",
		"--service-account-key-file=/w/service-accounts.pub",
		"--client-ca-file=/w/ca.crt",
	))
	g.Expect(args).NotTo(ContainElement(HavePrefix("--audit")))
	g.Expect(args).NotTo(ContainElement(HavePrefix("--disable-admission-plugins")))
}

func TestAPIServerFlagsFollowOptions(t *testing.T) {
	g := NewWithT(t)
	args := apiServerFlags("/w", 6443, Options{
		AuditLog:                 true,
		WithoutControllerManager: true,
		APIServerArgs:            map[string][]string{"authorization-mode": {"Node,RBAC"}, "profiling": nil},
	}).args()
	g.Expect(args).To(ContainElements(
		"--audit-log-path=/w/audit.log",
		"--audit-policy-file=/w/audit-policy.yaml",
		"--audit-log-maxsize=0",
		"--disable-admission-plugins=ServiceAccount",
		"--authorization-mode=Node,RBAC",
	))
	g.Expect(args).NotTo(ContainElement("--authorization-mode=RBAC"))
	g.Expect(args).NotTo(ContainElement(HavePrefix("--profiling")))
}

func TestControllerManagerFlags(t *testing.T) {
	g := NewWithT(t)
	args := controllerManagerFlags("/w", Options{
		ControllerManagerArgs: map[string][]string{"controllers": {"*", "-cronjob-controller"}},
	}).args()
	g.Expect(args).To(ContainElements(
		"--kubeconfig=/w/controller-manager.kubeconfig",
		"--service-account-private-key-file=/w/service-accounts.key",
		"--root-ca-file=/w/ca.crt",
		"--leader-elect=false",
		"--secure-port=0",
		"--controllers=*", "--controllers=-cronjob-controller",
	))
}
