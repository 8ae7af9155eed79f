// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"net/netip"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestDefaultPolicyDenies(t *testing.T) {
	t.Parallel()
	policy := DefaultPolicy()
	for text, denied := range map[string]bool{
		"127.0.0.1":              true,
		"127.255.0.9":            true,
		"0.0.0.0":                true,
		"::":                     true,
		"::1":                    true,
		"::127.0.0.1":            true, // IPv4-compatible
		"::ffff:127.0.0.1":       true, // IPv4-mapped
		"::ffff:169.254.169.254": true,
		"169.254.169.254":        true,
		"169.254.0.7":            true,
		"fe80::1":                true,
		"fe80::1%eth0":           true, // a prefix contains no zoned address
		"fd00:ec2::254":          true,
		"fd20:ce::254":           true,
		"100.100.100.200":        true,
		"168.63.129.16":          true,
		"192.0.0.192":            true,
		"224.0.0.1":              true,
		"ff02::1":                true,
		"255.255.255.255":        true,
		"64:ff9b::7f00:1":        true, // NAT64 of 127.0.0.1
		"64:ff9b::a9fe:a9fe":     true, // NAT64 of 169.254.169.254
		"2002:7f00:1::":          true, // 6to4 of 127.0.0.1
		"10.0.0.1":               false,
		"192.168.1.10":           false,
		"203.0.113.7":            false,
		"2001:db8::1":            false,
		"fd00:ec2::255":          false,
		"64:ff9b::cb00:7107":     false, // NAT64 of 203.0.113.7
		"2002:cb00:7107::":       false,
	} {
		endpoint := netip.AddrPortFrom(netip.MustParseAddr(text), 6443)
		NewWithT(t).Expect(policy.denies(endpoint)).To(Equal(denied), text)
	}
}

func TestAllowIsAnExceptionFromDenyOnly(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	policy := Policy{
		Allow:         []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		DenyAddrPorts: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:6443"), netip.MustParseAddrPort("[::ffff:10.0.0.1]:443")},
	}.withDefaults()
	g.Expect(policy.denies(netip.MustParseAddrPort("127.0.0.1:7443"))).To(BeFalse())
	g.Expect(policy.denies(netip.MustParseAddrPort("127.0.0.1:6443"))).To(BeTrue())
	g.Expect(policy.denies(netip.MustParseAddrPort("[::ffff:127.0.0.1]:6443"))).To(BeTrue())
	g.Expect(policy.denies(netip.MustParseAddrPort("10.0.0.1:443"))).To(BeTrue())
	g.Expect(policy.denies(netip.MustParseAddrPort("10.0.0.1:6443"))).To(BeFalse())
	g.Expect(policy.denies(netip.MustParseAddrPort("[::1]:7443"))).To(BeTrue())
}

func TestDenyHosts(t *testing.T) {
	t.Parallel()
	policy := Policy{DenyHosts: []string{"kubernetes.default", "API.Example.com."}}.withDefaults()
	for host, denied := range map[string]bool{
		"kubernetes.default":                   true,
		"kubernetes.default.svc":               true,
		"Kubernetes.Default.SVC.cluster.local": true,
		"kubernetes.default.svc.":              true,
		"kubernetes.defaults.example":          false,
		"my-kubernetes.default":                false,
		"api.example.com":                      true,
		"other.example.com":                    false,
	} {
		NewWithT(t).Expect(policy.deniesHost(host)).To(Equal(denied), host)
	}
}

func TestZeroPolicyIsTheDefault(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	policy := DefaultPolicy()
	g.Expect(policy.Deny).To(Equal(DefaultDeny()))
	g.Expect(policy.DenyHosts).To(Equal([]string{"kubernetes.default"}))
	g.Expect(policy.DialTimeout).To(Equal(3 * time.Second))
	g.Expect(policy.TLSTimeout).To(Equal(3 * time.Second))
	g.Expect(policy.HeaderTimeout).To(Equal(5 * time.Second))
	g.Expect(policy.RequestTimeout).To(Equal(5 * time.Second))
	g.Expect(policy.MaxBody).To(Equal(int64(4 << 20)))
	g.Expect(policy.MaxInFlight).To(Equal(2))
	g.Expect(policy.AllowProxy).To(BeFalse())
	g.Expect(policy.AllowInsecure).To(BeFalse())

	none := Policy{Deny: []netip.Prefix{}}.withDefaults()
	g.Expect(none.denies(netip.MustParseAddrPort("127.0.0.1:1"))).To(BeFalse())
}

func TestParseCIDRs(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	parsed, err := ParseCIDRs([]string{"10.1.2.3/8", " 192.0.2.7 ", "2001:db8::/32", "::1", "::ffff:10.0.0.0/104", "fe80::1%eth0"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(parsed).To(Equal([]netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("192.0.2.7/32"),
		netip.MustParsePrefix("2001:db8::/32"),
		netip.MustParsePrefix("::1/128"),
		netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("fe80::1/128"),
	}))
	for _, bad := range []string{"", "10.0.0.0/33", "example.com", "10.0.0", "::ffff:10.0.0.0/90"} {
		_, err := ParseCIDRs([]string{"10.0.0.0/8", bad})
		g.Expect(err).To(MatchError(ContainSubstring("parse address range")), bad)
	}
}
