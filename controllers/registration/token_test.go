// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

func TestUntrusted(t *testing.T) {
	const elsewhere = ": check that `spec.endpoint.server` is the same cluster as the kubeconfig's"
	for name, test := range map[string]struct {
		err     error
		admin   bool
		want    outcome
		message string
	}{
		"another identity": {
			err: errOtherIdentity, admin: true, want: outcome{"TokenIssued", "TokenRejected", nil},
			message: "The endpoint accepts the token as another identity than system:serviceaccount:kube-system:ccluster-manager" + elsewhere,
		},
		"another identity, wrapped": {
			err: fmt.Errorf("step: %w", errOtherIdentity), want: outcome{"TokenIssued", "TokenRejected", nil},
			message: "The endpoint accepts the token as another identity than system:serviceaccount:kube-system:ccluster-manager" + elsewhere,
		},
		"not accepted": {
			err: errNotAccepted, admin: true, want: outcome{"TokenIssued", "TokenRejected", nil},
			message: "The endpoint does not accept the token that the infra plane issued" + elsewhere,
		},
		"an admin who is not let in": {
			err: failure(remote.Unauthorized), admin: true, want: outcome{"TokenIssued", "Unauthorized", nil},
			message: "The server does not accept the credential",
		},
		"an account that is not let in": {err: failure(remote.Unauthorized), want: outcome{"", "", errDead}, message: errDead.Error()},
		"an admin without the right": {
			err: forbidden(), admin: true, want: outcome{"TokenIssued", "Forbidden", nil},
			message: "The credential does not have the required permission (HTTP 403)",
		},
		"an account without the right": {err: forbidden(), want: outcome{"", "", errInsufficient}, message: errInsufficient.Error()},
		"no answer": {
			err: failure(remote.ConnectionRefused), want: outcome{"Reachable", "ConnectionFailed", nil},
			message: "The server refused the connection",
		},
		"foreign": {
			err: &provision.ForeignError{Kind: "Secret", Name: "s"}, want: outcome{"TokenIssued", "ForeignObject", nil},
			message: (&provision.ForeignError{Kind: "Secret", Name: "s"}).Error(),
		},
		"not known": {err: errors.New(canary), want: outcome{"TokenIssued", "InternalError", nil}, message: "The request did not succeed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := newScope(t, newReg())
			s.admin = test.admin
			err := s.untrusted(test.err)
			NewWithT(t).Expect(err).To(MatchError(test.message))
			NewWithT(t).Expect(outcomeOf(t, s, err)).To(Equal(test.want))
		})
	}
}

func TestUnusable(t *testing.T) {
	g := NewWithT(t)
	for _, err := range []error{errNotAccepted, errOtherIdentity, provision.ErrTokenGone, fmt.Errorf("step: %w", provision.ErrTokenGone)} {
		g.Expect(unusable(err)).To(BeTrue(), "%v", err)
	}
	for _, err := range []error{failure(remote.Unauthorized), failure(remote.Forbidden), failure(remote.ConnectionLost), provision.ErrTokenPending, errors.New("plain")} {
		g.Expect(unusable(err)).To(BeFalse(), "%v", err)
	}
}
