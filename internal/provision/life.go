// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// Life is how long a token lives by the clock of whoever signed it, so that it does not
// matter how far that is from ours. It is zero for a token without expiry, and for one that
// does not tell.
//
// The token is not verified: a server that lies about it only harms itself.
func (t Token) Life() time.Duration {
	parts := strings.Split(t.Value, ".")
	if len(parts) != 3 {
		return 0
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return 0
	}
	var claims struct {
		IssuedAt int64 `json:"iat"`
		Expires  int64 `json:"exp"`
	}
	if json.Unmarshal(payload, &claims) != nil || claims.IssuedAt <= 0 || claims.Expires <= claims.IssuedAt {
		return 0
	}
	// A century is as good as forever, and no overflow.
	return time.Duration(min(claims.Expires-claims.IssuedAt, 100*365*24*3600)) * time.Second
}
