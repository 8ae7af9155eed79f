// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// maxToken is the longest bearer token accepted, in bytes; API servers read
// headers of at most a megabyte, and real tokens have one or two kilobytes.
const maxToken = 32 << 10

// isToken tells whether text can be sent as a bearer token: visible ASCII only.
func isToken(text string) bool {
	if text == "" || len(text) > maxToken {
		return false
	}
	return !strings.ContainsFunc(text, func(char rune) bool { return char <= ' ' || char >= 0x7f })
}

func basicAuth(username, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
}

// fingerprints compares endpoints and credentials without keeping them. The key
// is random, so that a fingerprint is worth nothing outside the process.
type fingerprints struct{ key []byte }

type fingerprint [sha256.Size]byte

func newFingerprints() fingerprints {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // Never fails: crypto/rand aborts the process instead.
	return fingerprints{key: key}
}

func (f fingerprints) of(ep kubeconfig.Endpoint, cred kubeconfig.Credential) fingerprint {
	mac := hmac.New(sha256.New, f.key)
	insecure := ""
	if ep.Insecure {
		insecure = "insecure"
	}
	for _, field := range []string{
		ep.Server, string(ep.CAData), ep.TLSServerName, ep.ProxyURL, insecure,
		cred.BearerToken, string(cred.ClientCertificateData), string(cred.ClientKeyData), cred.Username, cred.Password,
	} {
		// The length first, or moving bytes between fields would change nothing.
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(field)))
		mac.Write(length[:])
		mac.Write([]byte(field))
	}
	return fingerprint(mac.Sum(nil))
}
