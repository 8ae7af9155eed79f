// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// policy says which servers may be dialled as infra planes. The control plane's own API
// server never is: its cluster is registered without a credential, with `inCluster`.
func (o *Options) policy(ctx context.Context, own *rest.Config, resolver remote.Resolver) (remote.Policy, error) {
	p := remote.DefaultPolicy()
	var err error
	if p.Deny, err = remote.ParseCIDRs(o.DenyCIDRs); err != nil {
		return p, fmt.Errorf("--deny-cidr: %w", err)
	}
	if p.Allow, err = remote.ParseCIDRs(o.AllowCIDRs); err != nil {
		return p, fmt.Errorf("--allow-cidr: %w", err)
	}
	p.AllowProxy, p.AllowInsecure = o.AllowProxy, o.AllowInsecure

	server, _, err := rest.DefaultServerUrlFor(own)
	if err != nil {
		return p, fmt.Errorf("read the control plane's address: %w", err)
	}
	host := server.Hostname()
	if !namesLoopback(host) && !isAddress(host) {
		p.DenyHosts = append(slices.Clone(p.DenyHosts), host)
	}
	p.DenyAddrPorts = addressesOf(ctx, server, resolver)
	return p, nil
}

// addressesOf resolves a server's host. A name that cannot be resolved has no addresses:
// then there is no reaching the control plane either, and the name itself is denied.
func addressesOf(ctx context.Context, server *url.URL, resolver remote.Resolver) []netip.AddrPort {
	port := portOf(server)
	if addr, err := netip.ParseAddr(server.Hostname()); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(addr, port)}
	}
	addrs, err := resolver.LookupNetIP(ctx, "ip", server.Hostname())
	if err != nil {
		return nil
	}
	endpoints := make([]netip.AddrPort, 0, len(addrs))
	for _, addr := range addrs {
		endpoints = append(endpoints, netip.AddrPortFrom(addr, port))
	}
	return endpoints
}

func portOf(server *url.URL) uint16 {
	const https, http = 443, 80
	if port, err := strconv.ParseUint(server.Port(), 10, 16); err == nil {
		return uint16(port)
	}
	if server.Scheme == "http" {
		return http
	}
	return https
}

func isAddress(host string) bool { return net.ParseIP(host) != nil }

// namesLoopback tells names that every server on the machine has: denying such a name
// would deny them all.
func namesLoopback(host string) bool {
	host = strings.ToLower(strings.TrimRight(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
