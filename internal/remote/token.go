// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"net/url"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Token is a minted token. Formatting it does not show it.
type Token struct {
	Value string
	// ExpiresAt is what the server decided, which may be less or more than was
	// asked for.
	ExpiresAt time.Time
}

// String keeps the token out of formatted output.
func (Token) String() string { return "token (redacted)" }

// GoString keeps the token out of %#v.
func (t Token) GoString() string { return t.String() }

// MintToken requests a token for a ServiceAccount of the plane. A request that
// fails with ConnectionLost or ConnectionTimedOut may have minted one.
func (c *Conn) MintToken(ctx context.Context, account types.NamespacedName, spec authenticationv1.TokenRequestSpec) (Token, error) {
	const op = "create serviceaccounts/token"
	if !isPathSegment(account.Namespace) || !isPathSegment(account.Name) {
		return Token{}, failed(op, Invalid)
	}
	request := &authenticationv1.TokenRequest{
		TypeMeta: metav1.TypeMeta{APIVersion: authenticationv1.SchemeGroupVersion.String(), Kind: "TokenRequest"},
		Spec:     spec,
	}
	path := "/api/v1/namespaces/" + url.PathEscape(account.Namespace) + "/serviceaccounts/" + url.PathEscape(account.Name) + "/token"
	var answer authenticationv1.TokenRequest
	if err := c.post(ctx, op, path, request, &answer); err != nil {
		return Token{}, err
	}
	if !isToken(answer.Status.Token) || answer.Status.ExpirationTimestamp.IsZero() {
		return Token{}, failed(op, NotAKubernetesAPI)
	}
	return Token{Value: answer.Status.Token, ExpiresAt: answer.Status.ExpirationTimestamp.Time}, nil
}

func isPathSegment(text string) bool {
	return text != "." && text != ".." && objectName.MatchString(text)
}
