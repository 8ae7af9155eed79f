// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubeconfig decides whether a kubeconfig written by a tenant may be
// used, and what of it. It is a pure function of bytes and options: it opens no
// file, starts no program, dials nothing and never repeats the input in an
// error. Everything is decided on the parsed file itself, before any client
// configuration exists; files are never handed on to another kubeconfig reader.
package kubeconfig

// Options are the choices that are not the tenant's alone.
type Options struct {
	// Context selects a context of the file. Empty means its current-context.
	Context string
	// AllowInsecure permits insecure-skip-tls-verify.
	AllowInsecure bool
	// AllowProxy permits proxy-url.
	AllowProxy bool
}

// Parse reads one kubeconfig, in YAML or JSON, and returns what its selected
// context stands for. Only the selected cluster and user are judged; entries
// that are not selected may hold anything, but names must be unique.
// The error is always a *Rejection.
func Parse(data []byte, opts Options) (Target, error) {
	root, err := readDocument(data)
	if err != nil {
		return Target{}, err
	}
	cluster, user, err := selectEntries(root, opts.Context)
	if err != nil {
		return Target{}, err
	}
	credential, err := readCredential(user)
	if err != nil {
		return Target{}, err
	}
	endpoint, err := readEndpoint(cluster, opts)
	if err != nil {
		return Target{}, err
	}
	return Target{Endpoint: endpoint, Credential: credential}, nil
}
