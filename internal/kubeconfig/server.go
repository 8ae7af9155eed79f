// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"path"
	"strings"
	"unicode"
)

const maxURLBytes = 2048

// CanonicalServer returns the one spelling of an API server's address, for
// comparing and for dialling: https, lower-case ASCII host or normalised IP
// address, port unless it is 443, cleaned path without trailing slash.
// It is idempotent. The error is a *Rejection.
func CanonicalServer(raw string) (string, error) {
	return canonicalServer("server", raw)
}

// CanonicalServerName returns the one spelling of a name that certificates are
// verified against: a DNS name or an IP address without brackets. The error is
// a *Rejection.
func CanonicalServerName(raw string) (string, error) {
	return canonicalServerName("tlsServerName", raw)
}

// CanonicalProxy returns the one spelling of a proxy's address. Schemes are
// http, https and socks5. The error is a *Rejection.
func CanonicalProxy(raw string) (string, error) {
	return canonicalProxy("proxyURL", raw)
}

func canonicalServer(field, raw string) (string, error) {
	u, err := splitURL(field, raw, ServerInvalid)
	if err != nil {
		return "", err
	}
	if u.scheme != "https" {
		return "", reject(ServerInvalid, field, "must begin with https://; credentials are never sent in the clear")
	}
	authority, ok := canonicalAuthority(u.authority, "443")
	if !ok {
		return "", reject(ServerInvalid, field, "must have a host: a DNS name, an IPv4 address or an IPv6 address in brackets, and optionally a port from 1 to 65535")
	}
	prefix, ok := canonicalPath(u.path)
	if !ok {
		return "", reject(ServerInvalid, field, "must have no path, or one of letters, digits and any of -._~:@+=, between slashes")
	}
	return "https://" + authority + prefix, nil
}

func canonicalServerName(field, raw string) (string, error) {
	host, ok := "", false
	if len(raw) <= maxURLBytes && !strings.ContainsFunc(raw, isInvisible) {
		host, ok = canonicalHost(raw)
	}
	if !ok {
		return "", reject(TLSServerNameInvalid, field, "must be a DNS name or an IP address, without scheme or port")
	}
	return strings.Trim(host, "[]"), nil
}

func canonicalProxy(field, raw string) (string, error) {
	u, err := splitURL(field, raw, ProxyInvalid)
	if err != nil {
		return "", err
	}
	defaultPort, ok := map[string]string{"http": "80", "https": "443", "socks5": "1080"}[u.scheme]
	if !ok {
		return "", reject(ProxyInvalid, field, "must begin with http://, https:// or socks5://")
	}
	authority, ok := canonicalAuthority(u.authority, defaultPort)
	if !ok || strings.Trim(u.path, "/") != "" {
		return "", reject(ProxyInvalid, field, "must be a host and optionally a port from 1 to 65535, without a path")
	}
	return u.scheme + "://" + authority, nil
}

// plainURL is the only form of URL that is understood here. net/url accepts
// much more, and other readers disagree with it about the rest.
type plainURL struct {
	scheme, authority, path string
}

func splitURL(field, raw string, reason Reason) (plainURL, error) {
	switch {
	case raw == "":
		return plainURL{}, reject(reason, field, "must be set")
	case len(raw) > maxURLBytes:
		return plainURL{}, reject(reason, field, "is longer than 2048 bytes")
	case strings.ContainsFunc(raw, isInvisible):
		return plainURL{}, reject(reason, field, "must not hold blanks, line breaks or invisible characters")
	}
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return plainURL{}, reject(reason, field, "must be a URL with a scheme, such as https://host:port")
	}
	authority, prefix := rest, ""
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		authority, prefix = rest[:i], rest[i:]
	}
	switch {
	case strings.Contains(authority, "@"):
		return plainURL{}, reject(UserinfoNotAllowed, field, "must not hold a user name or password; it would be shown in status and logs")
	case strings.ContainsAny(rest, "?#"):
		return plainURL{}, reject(reason, field, "must not hold a query or a fragment")
	}
	return plainURL{scheme: strings.ToLower(scheme), authority: authority, path: prefix}, nil
}

func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || r == unicode.ReplacementChar || unicode.In(r, unicode.C, unicode.Z)
}

// canonicalPath admits only characters that need no escaping and mean the
// same to every reader.
func canonicalPath(raw string) (string, bool) {
	for i := range len(raw) {
		if !isAlphanumeric(raw[i]) && !strings.ContainsRune("-._~:@+=,/", rune(raw[i])) {
			return "", false
		}
	}
	if raw == "" {
		return "", true
	}
	return strings.TrimSuffix(path.Clean(raw), "/"), true
}
