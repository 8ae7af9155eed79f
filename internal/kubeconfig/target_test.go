// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
)

func sameCredential(a, b Credential) bool {
	return a.BearerToken == b.BearerToken && a.Username == b.Username && a.Password == b.Password &&
		bytes.Equal(a.ClientCertificateData, b.ClientCertificateData) && bytes.Equal(a.ClientKeyData, b.ClientKeyData)
}

// checkTarget says which promise of an accepted Target is broken, if any.
func checkTarget(target Target, opts Options) string {
	c, e := target.Credential, target.Endpoint
	kinds := 0
	for _, set := range []bool{c.BearerToken != "", len(c.ClientCertificateData) > 0 && len(c.ClientKeyData) > 0, c.Username != "" && c.Password != ""} {
		if set {
			kinds++
		}
	}
	switch canonical, err := CanonicalServer(e.Server); {
	case err != nil:
		return "the server is not acceptable: " + err.Error()
	case canonical != e.Server:
		return "the server is not canonical"
	case kinds != 1:
		return fmt.Sprintf("%d credentials are set", kinds)
	case (len(c.ClientCertificateData) > 0) != (len(c.ClientKeyData) > 0) || (c.Username != "") != (c.Password != ""):
		return "half a credential is set"
	case e.Insecure && (len(e.CAData) > 0 || !opts.AllowInsecure):
		return "insecure is set with a CA or without permission"
	case e.ProxyURL != "" && !opts.AllowProxy:
		return "a proxy is set without permission"
	}
	if len(e.CAData) > 0 {
		if canonical, err := CanonicalCA(e.CAData); err != nil || !bytes.Equal(canonical, e.CAData) {
			return "the CA is not canonical"
		}
	}
	if e.ProxyURL != "" {
		if canonical, err := CanonicalProxy(e.ProxyURL); err != nil || canonical != e.ProxyURL {
			return "the proxy is not canonical"
		}
	}
	if e.TLSServerName != "" {
		if canonical, err := CanonicalServerName(e.TLSServerName); err != nil || canonical != e.TLSServerName {
			return "the server name is not canonical"
		}
	}
	return ""
}

func TestTargetHidesSecrets(t *testing.T) {
	target := Target{
		Endpoint: Endpoint{Server: serverURL},
		Credential: Credential{
			BearerToken: canaryWord, Username: canaryUser, Password: canaryPhrase,
			ClientCertificateData: client.certificate, ClientKeyData: client.key,
		},
	}
	var outputs []string
	for _, value := range []any{target, &target, target.Credential, &target.Credential, struct{ T Target }{target}, []Credential{target.Credential}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t", "%08b"} {
			outputs = append(outputs, fmt.Sprintf(verb, value))
		}
		outputs = append(outputs, string(must(json.Marshal(value))))
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "value", value)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", value)
		outputs = append(outputs, log.String())
	}
	all := secrets()
	for _, secret := range []string{canaryWord, canaryPhrase, string(client.key)} {
		all = append(all, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), fmt.Sprintf("%d", []byte(secret)))
	}
	for _, output := range outputs {
		if found := leak(output, all...); found != "" {
			t.Errorf("%q shows %q", output, found)
		}
		if !bytes.Contains([]byte(output), []byte("(redacted)")) {
			t.Errorf("%q does not say that something was left out", output)
		}
	}
}
