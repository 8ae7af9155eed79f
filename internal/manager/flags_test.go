// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestNoFlagsMeanTheDefaults(t *testing.T) {
	g := NewWithT(t)
	o, err := Parse(nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Namespaces).To(BeEmpty())
	o.Namespaces = nil
	g.Expect(o.InClusterNamespaces).To(BeEmpty())
	o.InClusterNamespaces = nil
	g.Expect(o.AllowCIDRs).To(BeEmpty())
	o.AllowCIDRs = nil
	g.Expect(o).To(Equal(DefaultOptions()))
	g.Expect(o.LeaderElect).To(BeTrue())
	g.Expect(o.MetricsInsecure).To(BeFalse())
	g.Expect(o.DenyCIDRs).To(ContainElements("127.0.0.0/8", "169.254.0.0/16"))
}

func TestEachFlagSetsItsOption(t *testing.T) {
	for _, c := range []struct {
		args []string
		want func(*Options)
	}{
		{[]string{"--log-level=4"}, func(o *Options) { o.LogLevel = 4 }},
		{[]string{"--log-format=console"}, func(o *Options) { o.LogFormat = LogConsole }},
		{[]string{"--health-probe-address=127.0.0.1:1"}, func(o *Options) { o.HealthProbeAddress = "127.0.0.1:1" }},
		{[]string{"--metrics-address=0"}, func(o *Options) { o.MetricsAddress = "0" }},
		{[]string{"--metrics-insecure"}, func(o *Options) { o.MetricsInsecure = true }},
		{[]string{"--leader-elect=false"}, func(o *Options) { o.LeaderElect = false }},
		{[]string{"--leader-elect-namespace=a"}, func(o *Options) { o.LeaderElectNamespace = "a" }},
		{[]string{"--controllers=registration,registration"}, func(o *Options) { o.Controllers = []string{"registration", "registration"} }},
		{[]string{"--namespace=a", "--namespace=b,c"}, func(o *Options) { o.Namespaces = []string{"a", "b", "c"} }},
		{[]string{"--control-plane-id=cp-1"}, func(o *Options) { o.ControlPlaneID = "cp-1" }},
		{[]string{"--allow-in-cluster"}, func(o *Options) { o.AllowInCluster = true }},
		{[]string{"--allow-in-cluster", "--in-cluster-namespace=a", "--in-cluster-namespace=b"}, func(o *Options) {
			o.AllowInCluster, o.InClusterNamespaces = true, []string{"a", "b"}
		}},
		{[]string{"--allow-proxy"}, func(o *Options) { o.AllowProxy = true }},
		{[]string{"--allow-insecure"}, func(o *Options) { o.AllowInsecure = true }},
		{[]string{"--duplicate-clusters=Allow"}, func(o *Options) { o.DuplicateClusters = DuplicatesAllowed }},
		{[]string{"--ready-without-plane"}, func(o *Options) { o.ReadyWithoutPlane = true }},
		{[]string{"--check-period=10s"}, func(o *Options) { o.CheckPeriod = 10 * time.Second }},
		{[]string{"--token-overlap=1m"}, func(o *Options) { o.TokenOverlap = time.Minute }},
		{[]string{"--probe-image=mirror.example/busybox:1"}, func(o *Options) { o.ProbeImage = "mirror.example/busybox:1" }},
		{[]string{"--revoke-timeout=1h"}, func(o *Options) { o.RevokeTimeout = time.Hour }},
		{[]string{"--max-concurrent-reconciles=2"}, func(o *Options) { o.MaxConcurrentReconciles = 2 }},
		{[]string{"--deny-cidr=10.0.0.0/8", "--deny-cidr=::1"}, func(o *Options) { o.DenyCIDRs = []string{"10.0.0.0/8", "::1"} }},
		{[]string{"--allow-cidr=127.0.0.1"}, func(o *Options) { o.AllowCIDRs = []string{"127.0.0.1"} }},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			g := NewWithT(t)
			got, err := Parse(c.args)
			g.Expect(err).NotTo(HaveOccurred())
			want, err := Parse(nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).NotTo(Equal(want), "the flag must change something")
			c.want(&want)
			g.Expect(got).To(Equal(want))
		})
	}
}

func TestWhatCannotBeParsedIsNamed(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"--no-such-flag", "unknown flag: --no-such-flag; --help lists"},
		{"--log-level=high", `"high" for "--log-level" flag`},
		{"--check-period=60", `"60" for "--check-period" flag`},
		{"--leader-elect=maybe", `"maybe" for "--leader-elect" flag`},
		{"registration", `unexpected argument "registration"`},
		// An empty list must never come to mean all there is.
		{"--namespace=", "--namespace must not be empty"},
		{"--in-cluster-namespace=", "--in-cluster-namespace must not be empty"},
		{"--controllers=", "--controllers must not be empty"},
		{"--deny-cidr=", "--deny-cidr must not be empty"},
	} {
		t.Run(c.arg, func(t *testing.T) {
			_, err := Parse([]string{c.arg})
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(c.want)))
		})
	}
}

func TestHelpAndVersionAreNoErrorsOfUse(t *testing.T) {
	g := NewWithT(t)
	_, err := Parse([]string{"--help"})
	g.Expect(err).To(MatchError(ErrHelp))
	_, err = Parse([]string{"--version"})
	g.Expect(err).To(MatchError(ErrVersion))
	for _, flag := range []string{"--controllers", "--deny-cidr", "--ready-without-plane", "--leader-elect-namespace"} {
		g.Expect(Usage()).To(ContainSubstring(flag))
	}
}
