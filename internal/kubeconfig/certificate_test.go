// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"encoding/pem"
	"strings"
	"testing"
)

func TestCanonicalCA(t *testing.T) {
	want := string(join(edgeCA.certificate, otherCA.certificate))
	withHeaders := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der(edgeCA.certificate), Headers: map[string]string{"Name": canaryUser}})
	for name, input := range map[string]string{
		"canonical":  want,
		"CRLF":       strings.ReplaceAll(want, "\n", "\r\n"),
		"comments":   "# edge\n" + string(edgeCA.certificate) + "\n\n# other\n" + string(otherCA.certificate) + "\nend\n",
		"headers":    string(withHeaders) + string(otherCA.certificate),
		"no newline": strings.TrimSpace(want),
	} {
		got, err := CanonicalCA([]byte(input))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %d bytes, %v; want the canonical %d", name, len(got), err, len(want))
		}
	}
}

func TestCanonicalCARejects(t *testing.T) {
	for name, input := range map[string][]byte{
		"empty":       nil,
		"text":        []byte(canaryWord),
		"base64":      []byte(b64(edgeCA.certificate)),
		"key":         edgeCA.key,
		"key too":     join(edgeCA.certificate, edgeCA.key),
		"glued":       join(edgeCA.certificate[:len(edgeCA.certificate)-1], otherCA.certificate),
		"indented":    []byte("  " + strings.ReplaceAll(string(edgeCA.certificate), "\n", "\n  ")),
		"not a cert":  block("CERTIFICATE", []byte(canaryWord)),
		"over 1 MiB":  join(edgeCA.certificate, make([]byte, maxBytes)),
		"trusted":     block("TRUSTED CERTIFICATE", der(edgeCA.certificate)),
		"lower case":  block("certificate", der(edgeCA.certificate)),
		"empty block": block("CERTIFICATE", nil),
	} {
		got, err := CanonicalCA(input)
		if err == nil || got != nil {
			t.Errorf("%s: got %d bytes, want a rejection", name, len(got))
			continue
		}
		rejection := asRejection(t, err)
		if rejection.Reason != CAInvalid || rejection.Field != "caBundle" {
			t.Errorf("%s: got %s at %q", name, rejection.Reason, rejection.Field)
		}
		if found := leak(rejection.Message, secrets()...); found != "" {
			t.Errorf("%s: message %q quotes %q", name, rejection.Message, found)
		}
	}
}
