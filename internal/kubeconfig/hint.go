// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
)

// Three base64url parts, the first of which begins as encoded `{"` does.
var jsonWebToken = regexp.MustCompile(`^(?:[Bb]earer\s+)?eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$`)

var pemLine = regexp.MustCompile(`(?m)^-----BEGIN `)

// wrongFile recognises what is often stored by mistake. The result is fixed
// text, or empty if the content looks like none of it.
func wrongFile(text []byte) string {
	trimmed := bytes.TrimSpace(text)
	switch {
	case len(trimmed) == 0:
		return "is empty"
	case pemLine.Match(trimmed) && !bytes.Contains(trimmed, []byte("clusters")):
		return "is a PEM file; put certificates and keys into the -data fields of a kubeconfig"
	case jsonWebToken.Match(trimmed):
		return "is a bare token; put it into users[].user.token of a kubeconfig"
	case isEncodedFile(trimmed):
		return "is base64-encoded once too often; use stringData, or encode it once under data"
	}
	return ""
}

// isEncodedFile reports whether base64 hides a kubeconfig, a manifest or a PEM
// file, encoded any number of times.
func isEncodedFile(text []byte) bool {
	for {
		decoded, ok := decodeBase64(string(text))
		if !ok || len(decoded) == 0 {
			return false
		}
		for _, mark := range []string{"apiVersion", "clusters", "current-context", "-----BEGIN "} {
			if bytes.Contains(decoded, []byte(mark)) {
				return true
			}
		}
		text = decoded
	}
}

// decodeBase64 decodes standard base64 that may be folded over lines.
func decodeBase64(text string) ([]byte, bool) {
	folded := strings.Join(strings.Fields(text), "")
	decoded, err := base64.StdEncoding.DecodeString(folded)
	return decoded, err == nil
}
