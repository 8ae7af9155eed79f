// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// canonicalAuthority normalises host[:port] and drops the default port.
func canonicalAuthority(raw, defaultPort string) (string, bool) {
	end := strings.LastIndexByte(raw, ']') + 1
	name, port, hasPort := strings.Cut(raw[end:], ":")
	if end > 0 && name != "" {
		return "", false
	}
	host, ok := canonicalHost(raw[:end] + name)
	if !ok || !hasPort {
		return host, ok
	}
	if port, ok = canonicalPort(port); !ok {
		return "", false
	}
	if port == defaultPort {
		return host, true
	}
	return host + ":" + port, true
}

func canonicalPort(raw string) (string, bool) {
	// ParseUint would also take a sign or, with base 0, underscores.
	if raw == "" || strings.Trim(raw, "0123456789") != "" {
		return "", false
	}
	port, err := strconv.ParseUint(raw, 10, 16)
	if err != nil || port == 0 {
		return "", false
	}
	return strconv.FormatUint(port, 10), true
}

// canonicalHost normalises a DNS name or an IP address. IPv6 is returned in
// brackets, IPv4 mapped into IPv6 as plain IPv4.
func canonicalHost(raw string) (string, bool) {
	if strings.Contains(raw, ":") {
		return canonicalIPv6(raw)
	}
	name, ok := asciiName(raw)
	if !ok {
		return "", false
	}
	name = strings.TrimSuffix(name, ".")
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.String(), true
	}
	return name, isDNSName(name)
}

func canonicalIPv6(raw string) (string, bool) {
	inner, bracketed := strings.CutPrefix(raw, "[")
	if bracketed {
		if inner, bracketed = strings.CutSuffix(inner, "]"); !bracketed {
			return "", false
		}
	}
	addr, err := netip.ParseAddr(inner)
	// A zone names an interface of this machine.
	if err != nil || addr.Zone() != "" {
		return "", false
	}
	if addr = addr.Unmap(); addr.Is4() {
		return addr.String(), true
	}
	return "[" + addr.String() + "]", true
}

// asciiName lower-cases a name and encodes an internationalised one. Names
// already encoded are checked by the same rules.
func asciiName(raw string) (string, bool) {
	lower := strings.ToLower(raw)
	if isASCII(raw) && !strings.Contains(lower, "xn--") {
		return lower, true
	}
	name, err := idna.Lookup.ToASCII(raw)
	return name, err == nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isDNSName admits underscores, which container names have. It refuses names
// that end in a number: some resolvers read 127.1 or 0x7f000001 as an address.
func isDNSName(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if !isAlphanumeric(label[i]) && label[i] != '-' && label[i] != '_' {
				return false
			}
		}
	}
	last := labels[len(labels)-1]
	if strings.Trim(last, "0123456789") == "" {
		return false
	}
	hex, isHex := strings.CutPrefix(last, "0x")
	return !isHex || strings.Trim(hex, "0123456789abcdef") != ""
}
