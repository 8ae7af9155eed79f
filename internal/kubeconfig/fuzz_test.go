// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"net/url"
	"strings"
	"testing"
)

// canaries are planted in the seeds. None can be listed as a context name.
var canaries = []string{canaryWord, canaryUser, canaryPhrase, canaryPath, canaryCommand, clusterName, userName, "zq!k"}

func FuzzParse(f *testing.F) {
	for _, tc := range rejectedCases() {
		if len(tc.input) < 1<<14 {
			f.Add([]byte(tc.input), tc.opts.Context, tc.opts.AllowInsecure, tc.opts.AllowProxy)
		}
	}
	for _, tc := range acceptedCases() {
		if len(tc.input) < 1<<14 {
			f.Add([]byte(tc.input), tc.opts.Context, tc.opts.AllowInsecure, tc.opts.AllowProxy)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, context string, allowInsecure, allowProxy bool) {
		opts := Options{Context: context, AllowInsecure: allowInsecure, AllowProxy: allowProxy}
		target, err := Parse(data, opts)
		if err == nil {
			if broken := checkTarget(target, opts); broken != "" {
				t.Fatal(broken)
			}
			return
		}
		rejection := asRejection(t, err)
		for _, canary := range canaries {
			if strings.Contains(rejection.Message, canary) || strings.Contains(rejection.Field, canary) {
				t.Fatalf("message %q quotes %q", rejection.Message, canary)
			}
		}
		for _, r := range rejection.Message {
			if r < ' ' || r > '~' {
				t.Fatalf("message %q is not printable ASCII", rejection.Message)
			}
		}
	})
}

func FuzzCanonicalServer(f *testing.F) {
	for _, raw := range badServers {
		f.Add(raw)
	}
	for _, raw := range []string{
		"https://edge.example:6443/k8s/clusters/c-1/", "HTTPS://[::FFFF:10.0.0.1]:0443/a/../b", "https://bücher.example.",
		"https://１２７.0.0.1", "https://xn--bcher-kva.example", "https://kubernetes.default.svc", "https://u:p@h", "https://faß。example",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		canonical, err := CanonicalServer(raw)
		if err != nil {
			_ = asRejection(t, err)
			return
		}
		again, err := CanonicalServer(canonical)
		if err != nil || again != canonical {
			t.Fatalf("%q becomes %q, then %q, %v", raw, canonical, again, err)
		}
		parsed, err := url.Parse(canonical)
		if err != nil || parsed.Scheme != "https" || parsed.String() != canonical || parsed.User != nil || parsed.Hostname() == "" {
			t.Fatalf("%q becomes %q, which parses as %v, %v", raw, canonical, parsed, err)
		}
		if InClusterServer(canonical) && !strings.Contains(canonical, "kubernetes") {
			t.Fatalf("%q is taken for the cluster's own", canonical)
		}
	})
}
