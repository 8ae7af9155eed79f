// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// endpoint is an Endpoint and a Credential, checked and ready for a transport.
type endpoint struct {
	base          *url.URL // https, no trailing slash
	proxy         *url.URL // nil: direct
	tls           *tls.Config
	authorization string // header value; empty with a client certificate
}

// newEndpoint applies the rules that need no I/O.
func newEndpoint(policy *Policy, ep kubeconfig.Endpoint, cred kubeconfig.Credential) (*endpoint, Kind) {
	base, kind := serverURL(policy, ep)
	if kind != None {
		return nil, kind
	}
	proxy, kind := proxyURL(policy, ep.ProxyURL)
	if kind != None {
		return nil, kind
	}
	config, kind := tlsConfig(policy, ep)
	if kind != None {
		return nil, kind
	}
	checked := &endpoint{base: base, proxy: proxy, tls: config}
	return checked, checked.present(cred)
}

// serverURL parses the server and refuses it if its host alone, a denied name
// or address, is reason enough. That matters with a proxy, which dials for us.
func serverURL(policy *Policy, ep kubeconfig.Endpoint) (*url.URL, Kind) {
	base, err := url.Parse(ep.Server)
	if err != nil || base.Scheme != "https" || !isHost(base.Hostname()) ||
		base.User != nil || base.RawQuery != "" || base.Fragment != "" || base.Opaque != "" {
		return nil, InvalidConfig
	}
	base.Path, base.RawPath = strings.TrimRight(base.Path, "/"), strings.TrimRight(base.RawPath, "/")
	if policy.deniesHost(base.Hostname()) {
		return nil, AddressDenied
	}
	if addr, err := netip.ParseAddr(base.Hostname()); err == nil {
		literal, err := netip.ParseAddrPort(net.JoinHostPort(addr.String(), portOf(base)))
		if err != nil {
			return nil, InvalidConfig
		}
		if policy.denies(literal) {
			return nil, AddressDenied
		}
	}
	return base, None
}

// isHost refuses hosts that a later step would rewrite: net/http maps wide
// characters to ASCII ones.
func isHost(host string) bool {
	if host == "" {
		return false
	}
	for _, char := range []byte(host) {
		if char <= ' ' || char >= 0x7f {
			return false
		}
	}
	return true
}

func portOf(base *url.URL) string {
	if port := base.Port(); port != "" {
		return port
	}
	return "443"
}

func proxyURL(policy *Policy, text string) (*url.URL, Kind) {
	if text == "" {
		return nil, None
	}
	if !policy.AllowProxy {
		return nil, ProxyNotAllowed
	}
	proxy, err := url.Parse(text)
	if err != nil || !isHost(proxy.Hostname()) || proxy.User != nil || defaultProxyPorts[proxy.Scheme] == "" {
		return nil, InvalidConfig
	}
	return proxy, None
}

var defaultProxyPorts = map[string]string{"http": "80", "https": "443", "socks5": "1080"}

func proxyAddress(proxy *url.URL) string {
	port := proxy.Port()
	if port == "" {
		port = defaultProxyPorts[proxy.Scheme]
	}
	return net.JoinHostPort(proxy.Hostname(), port)
}

func tlsConfig(policy *Policy, ep kubeconfig.Endpoint) (*tls.Config, Kind) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: ep.TLSServerName}
	switch {
	case ep.Insecure && len(ep.CAData) > 0:
		return nil, InvalidConfig
	case ep.Insecure && !policy.AllowInsecure:
		return nil, InsecureNotAllowed
	case ep.Insecure:
		config.InsecureSkipVerify = true // The administrator's flag decides, off by default.
	case len(ep.CAData) > 0:
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(ep.CAData) {
			return nil, InvalidConfig
		}
	}
	return config, None
}

// present adds the credential. None at all is refused: the server would see an
// anonymous client, and its answers would be taken for the credential's.
func (e *endpoint) present(cred kubeconfig.Credential) Kind {
	hasCertificate := len(cred.ClientCertificateData) > 0 || len(cred.ClientKeyData) > 0
	hasPassword := cred.Username != "" || cred.Password != ""
	given := 0
	for _, has := range []bool{cred.BearerToken != "", hasCertificate, hasPassword} {
		if has {
			given++
		}
	}
	if given != 1 {
		return InvalidConfig
	}
	switch {
	case hasCertificate:
		pair, err := tls.X509KeyPair(cred.ClientCertificateData, cred.ClientKeyData)
		if err != nil {
			return InvalidConfig
		}
		e.tls.Certificates = []tls.Certificate{pair}
	case hasPassword:
		e.authorization = basicAuth(cred.Username, cred.Password)
	case !isToken(cred.BearerToken):
		return InvalidConfig
	default:
		e.authorization = "Bearer " + cred.BearerToken
	}
	return None
}
