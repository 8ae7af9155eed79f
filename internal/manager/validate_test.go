// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestDefaultOptionsAreValid(t *testing.T) {
	o := DefaultOptions()
	NewWithT(t).Expect(o.Validate()).To(Succeed())
}

func TestEachRuleNamesItsFlag(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*Options)
		want string
	}{
		{"verbosity that shows credentials", func(o *Options) { o.LogLevel = 6 }, "--log-level must be from 0 to 5, not 6: above that, credentials would be logged"},
		{"negative verbosity", func(o *Options) { o.LogLevel = -1 }, "--log-level must be from 0 to 5"},
		{"log format", func(o *Options) { o.LogFormat = "xml" }, `--log-format must be json or console, not "xml"`},
		{"duplicates", func(o *Options) { o.DuplicateClusters = "allow" }, `--duplicate-clusters must be Refuse or Allow, not "allow"`},
		{"health address", func(o *Options) { o.HealthProbeAddress = "8081" }, `--health-probe-address must be host:port, :port or 0, not "8081"`},
		{"metrics address", func(o *Options) { o.MetricsAddress = "" }, "--metrics-address must be host:port"},
		{"port left out", func(o *Options) { o.MetricsAddress = "127.0.0.1:" }, "--metrics-address must be host:port"},
		{"lease namespace", func(o *Options) { o.LeaderElectNamespace = "a/b" }, `--leader-elect-namespace must be the name of a namespace, not "a/b"`},
		{"no controller", func(o *Options) { o.Controllers = nil }, "--controllers must name at least one of registration"},
		{"namespace", func(o *Options) { o.Namespaces = []string{"a", "B"} }, `--namespace must be the name of a namespace, not "B"`},
		{"control plane ID with a dot", func(o *Options) { o.ControlPlaneID = "a.b" }, `--control-plane-id must be a DNS label`},
		{"long control plane ID", func(o *Options) { o.ControlPlaneID = strings.Repeat("a", 64) }, `--control-plane-id must be a DNS label`},
		{"no worker", func(o *Options) { o.MaxConcurrentReconciles = 0 }, "--max-concurrent-reconciles must be at least 1, not 0"},
		{"no check period", func(o *Options) { o.CheckPeriod = 0 }, "--check-period must be positive, not 0s"},
		{"no overlap", func(o *Options) { o.TokenOverlap = 0 }, "--token-overlap must be positive"},
		{"no probe image", func(o *Options) { o.ProbeImage = "" }, "--probe-image must be the name of an image"},
		{"blank in the probe image", func(o *Options) { o.ProbeImage = "busy box" }, "--probe-image must be the name of an image"},
		{"negative revoke timeout", func(o *Options) { o.RevokeTimeout = -1 }, "--revoke-timeout must be positive"},
		{"in-cluster namespace alone", func(o *Options) { o.InClusterNamespaces = []string{"a"} }, "--in-cluster-namespace has no effect alone: add --allow-in-cluster"},
		{"in-cluster namespace", func(o *Options) { o.AllowInCluster, o.InClusterNamespaces = true, []string{"A"} }, "--in-cluster-namespace must be the name of a namespace"},
		{"in-cluster namespace elsewhere", func(o *Options) {
			o.AllowInCluster, o.InClusterNamespaces, o.Namespaces = true, []string{"a"}, []string{"b"}
		}, "--in-cluster-namespace a is not among those of --namespace"},
		{"denied range", func(o *Options) { o.DenyCIDRs = []string{"10.0.0.0/33"} }, "--deny-cidr must be an address or a range"},
		{"nothing denied", func(o *Options) { o.DenyCIDRs = nil }, "--deny-cidr must have a range"},
		{"allowed range", func(o *Options) { o.AllowCIDRs = []string{"localhost"} }, "--allow-cidr must be an address or a range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := DefaultOptions()
			c.set(&o)
			NewWithT(t).Expect(o.Validate()).To(MatchError(ContainSubstring(c.want)))
		})
	}
}

func TestEverythingWrongIsToldAtOnce(t *testing.T) {
	g := NewWithT(t)
	_, err := Parse([]string{"--log-format=xml", "--check-period=-1s"})
	g.Expect(err).To(MatchError(And(ContainSubstring("--log-format"), ContainSubstring("--check-period"))))
}

func TestLimitsThemselvesAreValid(t *testing.T) {
	g := NewWithT(t)
	o := DefaultOptions()
	o.ControlPlaneID = strings.Repeat("a", 63)
	o.LogLevel = maxLogLevel
	o.HealthProbeAddress, o.MetricsAddress = "0", "[::1]:0"
	o.AllowInCluster, o.InClusterNamespaces, o.Namespaces = true, []string{"a"}, []string{"a", "b"}
	g.Expect(o.Validate()).To(Succeed())
}
