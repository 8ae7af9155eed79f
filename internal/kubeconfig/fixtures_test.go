// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"
)

// What no message may show: a token (word), a user name, a password (phrase)
// and so on. No listed context name can hold these values.
const (
	canaryWord    = "zQ7!t0k9-W9xV4~Jq"
	canaryUser    = "us!9kQz-Jw4"
	canaryPhrase  = "pw!8Zx-Vq7Kt"
	canaryPath    = "/srv/zq!k/h1dd9n.x"
	canaryCommand = "/opt/zq!k/st9aler"
	canaryHost    = "k9zq4w-v3xj.zz8q.example"
	clusterName   = "clu5!q8z-77"
	userName      = "u5er!x7w-88"
	contextName   = "admin@edge"
	serverURL     = "https://" + canaryHost + ":6443"
)

// keyPair is a self-signed certificate in PEM with its key.
type keyPair struct{ certificate, key []byte }

var (
	edgeCA   = newPair(newECKey(), time.Hour)
	otherCA  = newPair(newECKey(), time.Hour)
	client   = newPair(newECKey(), time.Hour)
	expired  = newPair(newECKey(), -time.Hour)
	edClient = newPair(newEd25519Key(), time.Hour)
	rsaPair  = newPair(newRSAKey(), time.Hour)
)

func newECKey() crypto.Signer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return must(key, err)
}

func newEd25519Key() crypto.Signer {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	return must(key, err)
}

func newRSAKey() crypto.Signer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	return must(key, err)
}

func newPair(key crypto.Signer, lifetime time.Duration) keyPair {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "plane"},
		NotBefore:    time.Now().Add(-2 * time.Hour),
		NotAfter:     time.Now().Add(lifetime),
		IsCA:         true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	certificate := must(der, err)
	der, err = x509.MarshalPKCS8PrivateKey(key)
	return keyPair{certificate: block("CERTIFICATE", certificate), key: block("PRIVATE KEY", must(der, err))}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func der(encoded []byte) []byte {
	b, _ := pem.Decode(encoded)
	return b.Bytes
}

func b64(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Bodies of the selected cluster and user, as the inside of a YAML flow mapping.
var (
	goodCluster = `server: "` + serverURL + `", certificate-authority-data: "` + b64(edgeCA.certificate) + `"`
	goodUser    = `token: "` + canaryWord + `"`
)

// file is a kubeconfig with one context.
func file(cluster, user string) string {
	return `apiVersion: v1
kind: Config
current-context: "` + contextName + `"
contexts:
- name: "` + contextName + `"
  context: {cluster: "` + clusterName + `", user: "` + userName + `"}
clusters:
- name: "` + clusterName + `"
  cluster: {` + cluster + `}
users:
- name: "` + userName + `"
  user: {` + user + `}
`
}

func pairUser(certificate, key []byte) string {
	return `client-certificate-data: "` + b64(certificate) + `", client-key-data: "` + b64(key) + `"`
}

// goodFile is accepted with no option set.
func goodFile() string { return file(goodCluster, goodUser) }

// asRejection fails the test unless err is a *Rejection with a known reason
// and a bounded message.
func asRejection(t *testing.T, err error) *Rejection {
	t.Helper()
	var rejection *Rejection
	if !errors.As(err, &rejection) {
		t.Fatalf("error is %T, want *Rejection", err)
	}
	known := false
	for _, reason := range Reasons() {
		known = known || reason == rejection.Reason
	}
	switch {
	case !known:
		t.Fatalf("reason %q is not one of Reasons()", rejection.Reason)
	case rejection.Message == "" || len(rejection.Message) > 1024:
		t.Fatalf("message has %d bytes", len(rejection.Message))
	case rejection.Error() != rejection.Message:
		t.Fatalf("Error() = %q, want the message", rejection.Error())
	}
	return rejection
}

// secrets are the values of the fixtures that no message may quote a part of.
func secrets() []string {
	all := []string{
		canaryWord, canaryUser, canaryPhrase, canaryPath, canaryCommand, canaryHost, clusterName, userName,
	}
	for _, pair := range []keyPair{edgeCA, otherCA, client, expired, edClient, rsaPair} {
		all = append(all, string(der(pair.certificate)), string(der(pair.key)),
			b64(der(pair.certificate)), b64(der(pair.key)), b64(pair.certificate), b64(pair.key))
	}
	return all
}

// leak returns a run of at least six bytes that text shares with a secret.
func leak(text string, secrets ...string) string {
	const run = 6
	for _, secret := range secrets {
		for i := 0; i+run <= len(secret); i++ {
			if strings.Contains(text, secret[i:i+run]) {
				return secret[i : i+run]
			}
		}
	}
	return ""
}

// TestLeakFindsRuns keeps the leak check itself honest.
func TestLeakFindsRuns(t *testing.T) {
	if got := leak("the token "+canaryWord[3:9]+" is bad", secrets()...); got != canaryWord[3:9] {
		t.Errorf("leak() = %q, want %q", got, canaryWord[3:9])
	}
	if got := leak("the token is bad", secrets()...); got != "" {
		t.Errorf("leak() = %q, want none", got)
	}
}
