// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"fmt"
	"io"
)

// Target is what a kubeconfig was accepted as: where to dial and what to
// present there. It holds secrets: it is never logged, and formats as a fixed
// text wherever it is printed or marshalled by mistake.
type Target struct {
	Endpoint   Endpoint
	Credential Credential
}

// Endpoint is an API server's address and how its identity is verified.
type Endpoint struct {
	// Server is the https URL to dial, in the form CanonicalServer returns.
	Server string
	// CAData is PEM. Empty means the system's trust store.
	CAData []byte
	// TLSServerName replaces the host of Server in certificate verification.
	TLSServerName string
	// ProxyURL is an http, https or socks5 proxy without userinfo.
	ProxyURL string
	// Insecure turns verification off. Never set together with CAData.
	Insecure bool
}

// Credential is what a client presents. Exactly one of BearerToken,
// the certificate pair, or the username pair is set.
type Credential struct {
	BearerToken           string
	ClientCertificateData []byte
	ClientKeyData         []byte
	Username              string
	Password              string
}

// String keeps secrets out of formatted output.
func (Target) String() string { return "kubeconfig target (redacted)" }

// GoString keeps secrets out of %#v.
func (t Target) GoString() string { return t.String() }

// Format keeps secrets out of every other verb, such as %d.
func (t Target) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, t.String()) }

// MarshalText keeps secrets out of JSON and structured logs.
func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// String keeps secrets out of formatted output.
func (Credential) String() string { return "credential (redacted)" }

// GoString keeps secrets out of %#v.
func (c Credential) GoString() string { return c.String() }

// Format keeps secrets out of every other verb, such as %d.
func (c Credential) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, c.String()) }

// MarshalText keeps secrets out of JSON and structured logs.
func (c Credential) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
