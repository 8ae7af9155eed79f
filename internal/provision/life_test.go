// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"encoding/base64"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestLifeIsByTheSignersClock(t *testing.T) {
	jwt := func(claims string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
	}
	for name, test := range map[string]struct {
		token string
		want  time.Duration
	}{
		"an hour":         {jwt(`{"iat":1000,"exp":4600}`), time.Hour},
		"no expiry":       {jwt(`{"iat":1000}`), 0},
		"no issue":        {jwt(`{"exp":4600}`), 0},
		"backwards":       {jwt(`{"iat":4600,"exp":1000}`), 0},
		"absurdly long":   {jwt(`{"iat":1,"exp":9223372036854775807}`), 100 * 365 * 24 * time.Hour},
		"not base64":      {"e30.***.c2ln", 0},
		"not JSON":        {jwt(`{"iat":`), 0},
		"not a JWT":       {"opaque", 0},
		"times as text":   {jwt(`{"iat":"1000","exp":"4600"}`), 0},
		"nothing at all":  {"", 0},
		"too many pieces": {jwt(`{"iat":1000,"exp":4600}`) + ".more", 0},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(Token{Value: test.token}.Life()).To(Equal(test.want))
		})
	}
}
