// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"crypto/x509"
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// Policy says which servers may be dialled and what one request may cost. The
// zero value of every field means the value DefaultPolicy gives it, so a Policy
// built by hand is never laxer than the default by omission.
type Policy struct {
	// Deny lists the address ranges that are not dialled. It is checked on the
	// address that is dialled, after resolution, for servers and proxies. Nil
	// means DefaultDeny; an empty, non-nil list denies nothing.
	Deny []netip.Prefix
	// Allow lists exceptions from Deny.
	Allow []netip.Prefix
	// DenyAddrPorts lists single endpoints that are not dialled, such as the
	// control plane's own API server. Allow makes no exception from it.
	DenyAddrPorts []netip.AddrPort
	// DenyHosts lists DNS names that are not dialled, whatever they resolve to.
	// An entry also covers longer names that continue it after a dot:
	// "kubernetes.default" covers "kubernetes.default.svc.cluster.local".
	DenyHosts []string
	// AllowProxy permits Endpoint.ProxyURL. A proxy resolves names itself, which
	// voids the check of the server's address.
	AllowProxy bool
	// AllowInsecure permits Endpoint.Insecure.
	AllowInsecure bool
	// ProxyRootCAs verifies https proxies. Nil means the system's trust store.
	ProxyRootCAs *x509.CertPool

	// DialTimeout bounds resolution and TCP connect together.
	DialTimeout time.Duration
	// TLSTimeout bounds the TLS handshake, and the handshake with a proxy.
	TLSTimeout time.Duration
	// HeaderTimeout bounds the wait for the answer's header.
	HeaderTimeout time.Duration
	// RequestTimeout bounds a whole request, from waiting for its turn to the
	// last byte of the answer. A shorter deadline of the caller's context wins.
	RequestTimeout time.Duration
	// StreamTimeout ends a watch or a followed log, which the server would not.
	StreamTimeout time.Duration
	// IdleTimeout closes a connection that was unused for this long.
	IdleTimeout time.Duration
	// PingInterval is the silence after which an HTTP/2 connection is probed.
	PingInterval time.Duration
	// MaxBody caps the answer's body, in bytes.
	MaxBody int64
	// MaxInFlight caps the requests in flight per plane.
	MaxInFlight int
}

// DefaultPolicy refuses addresses that belong to this machine, its links and
// its cloud's metadata services, proxies, and unverified TLS.
func DefaultPolicy() Policy { return Policy{}.withDefaults() }

// DefaultDeny returns the address ranges that DefaultPolicy denies.
func DefaultDeny() []netip.Prefix {
	return []netip.Prefix{
		// This machine: unspecified addresses connect to loopback on Linux.
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("127.0.0.0/8"),
		netip.MustParsePrefix("::/96"),
		// Its links. 169.254.0.0/16 has most clouds' metadata services.
		netip.MustParsePrefix("169.254.0.0/16"),
		netip.MustParsePrefix("fe80::/10"),
		// Multicast and broadcast.
		netip.MustParsePrefix("224.0.0.0/4"),
		netip.MustParsePrefix("255.255.255.255/32"),
		netip.MustParsePrefix("ff00::/8"),
		// Metadata services elsewhere: AWS, Google, Alibaba, Azure, Oracle.
		netip.MustParsePrefix("fd00:ec2::254/128"),
		netip.MustParsePrefix("fd20:ce::254/128"),
		netip.MustParsePrefix("100.100.100.200/32"),
		netip.MustParsePrefix("168.63.129.16/32"),
		netip.MustParsePrefix("192.0.0.192/32"),
	}
}

// ParseCIDRs reads address ranges. An entry may be a single address.
func ParseCIDRs(entries []string) ([]netip.Prefix, error) {
	prefixes := make([]netip.Prefix, 0, len(entries))
	for _, entry := range entries {
		prefix, err := parseCIDR(strings.TrimSpace(entry))
		if err != nil {
			return nil, fmt.Errorf("parse address range %q: %w", entry, err)
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes, nil
}

func parseCIDR(entry string) (netip.Prefix, error) {
	if !strings.Contains(entry, "/") {
		addr, err := netip.ParseAddr(entry)
		if err != nil {
			return netip.Prefix{}, err
		}
		addr = addr.WithZone("").Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(entry)
	if err != nil {
		return netip.Prefix{}, err
	}
	// Addresses are unmapped before they are compared, so a mapped range would
	// match nothing.
	if addr := prefix.Addr(); addr.Is4In6() {
		const mappedBits = 96
		if prefix.Bits() < mappedBits {
			return netip.Prefix{}, fmt.Errorf("range must not cut through the mapped IPv4 addresses")
		}
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-mappedBits)
	}
	return prefix.Masked(), nil
}

func (p Policy) withDefaults() Policy {
	if p.Deny == nil {
		p.Deny = DefaultDeny()
	}
	if p.DenyHosts == nil {
		p.DenyHosts = []string{"kubernetes.default"}
	}
	defaultTo(&p.DialTimeout, 3*time.Second)
	defaultTo(&p.TLSTimeout, 3*time.Second)
	defaultTo(&p.HeaderTimeout, 5*time.Second)
	defaultTo(&p.RequestTimeout, 5*time.Second)
	defaultTo(&p.StreamTimeout, 5*time.Minute)
	// Longer than the check period, or every check would pay for a handshake.
	defaultTo(&p.IdleTimeout, 90*time.Second)
	defaultTo(&p.PingInterval, 30*time.Second)
	defaultTo(&p.MaxBody, 4<<20)
	defaultTo(&p.MaxInFlight, 2)
	return p
}

func defaultTo[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
