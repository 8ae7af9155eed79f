// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Resolver turns a name into addresses; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxAddresses bounds how many addresses of one name are tried.
const maxAddresses = 16

// denies reports whether the policy forbids dialling the endpoint.
func (p *Policy) denies(endpoint netip.AddrPort) bool {
	// A prefix contains no zoned and no mapped address, so a check on those
	// would pass everything.
	addr := endpoint.Addr().WithZone("").Unmap()
	plain := netip.AddrPortFrom(addr, endpoint.Port())
	for _, denied := range p.DenyAddrPorts {
		if netip.AddrPortFrom(denied.Addr().WithZone("").Unmap(), denied.Port()) == plain {
			return true
		}
	}
	if contains(p.Allow, addr) {
		return false
	}
	if contains(p.Deny, addr) {
		return true
	}
	if inner, ok := embeddedIPv4(addr); ok {
		return p.denies(netip.AddrPortFrom(inner, endpoint.Port()))
	}
	return false
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// embeddedIPv4 returns the IPv4 address a translator (NAT64, 6to4) would
// deliver to.
func embeddedIPv4(addr netip.Addr) (netip.Addr, bool) {
	const nat64Offset, sixToFourOffset = 12, 2
	if !addr.Is6() {
		return netip.Addr{}, false
	}
	bytes := addr.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(addr):
		return netip.AddrFrom4([4]byte(bytes[nat64Offset:])), true
	case netip.MustParsePrefix("2002::/16").Contains(addr):
		return netip.AddrFrom4([4]byte(bytes[sixToFourOffset : sixToFourOffset+4])), true
	}
	return netip.Addr{}, false
}

// deniesHost reports whether the policy forbids the name or literal address.
func (p *Policy) deniesHost(host string) bool {
	host = strings.ToLower(strings.TrimRight(host, "."))
	return slices.ContainsFunc(p.DenyHosts, func(entry string) bool {
		entry = strings.ToLower(strings.TrimRight(entry, "."))
		return entry != "" && (host == entry || strings.HasPrefix(host, entry+"."))
	})
}

// resolve returns the addresses to dial for host:port. One denied address
// refuses the name as a whole: a name that points at a forbidden place as well
// is not one to trust, and the outcome must not depend on which address is up.
func (p *Policy) resolve(ctx context.Context, resolver Resolver, hostPort string) ([]netip.AddrPort, Kind) {
	host, portText, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, InvalidConfig
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return nil, InvalidConfig
	}
	if p.deniesHost(host) {
		return nil, AddressDenied
	}
	addrs, kind := lookup(ctx, resolver, host)
	if kind != None {
		return nil, kind
	}
	endpoints := make([]netip.AddrPort, 0, len(addrs))
	for _, addr := range addrs {
		endpoint := netip.AddrPortFrom(addr.Unmap(), uint16(port))
		if p.denies(endpoint) {
			return nil, AddressDenied
		}
		endpoints = append(endpoints, endpoint)
	}
	return endpoints[:min(len(endpoints), maxAddresses)], None
}

func lookup(ctx context.Context, resolver Resolver, host string) ([]netip.Addr, Kind) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, None
	}
	addrs, err := resolver.LookupNetIP(ctx, "ip", host)
	switch {
	case ctx.Err() == context.Canceled:
		return nil, Canceled
	case err != nil || len(addrs) == 0:
		return nil, NameNotResolved
	}
	return addrs, None
}
