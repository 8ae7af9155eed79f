// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

func TestGranted(t *testing.T) {
	for binding, want := range map[v1alpha1.Binding]string{
		v1alpha1.BindingClusterRoleBinding: "Granted", v1alpha1.BindingRoleBindings: "Granted", v1alpha1.BindingNone: "GrantedByOwner",
	} {
		t.Run(string(binding), func(t *testing.T) {
			_, s := newScope(t, newReg())
			s.wanted.Binding = binding
			s.granted()
			got := s.conds.Get(v1alpha1.ConditionAuthorized)
			NewWithT(t).Expect(got.Status).To(Equal(metav1.ConditionTrue))
			NewWithT(t).Expect(got.Reason).To(Equal(want))
		})
	}
}

// outcome is where a failed step has left its mark.
type outcome struct {
	// condition is the one that is False now; empty if none is.
	condition, reason string
	err               error
}

func outcomeOf(t *testing.T, s *scope, err error) outcome {
	t.Helper()
	g := NewWithT(t)
	got := outcome{}
	for _, c := range s.conds.Conditions() {
		if c.Status == metav1.ConditionFalse {
			g.Expect(got.condition).To(BeEmpty(), "only one condition tells of a failure")
			got.condition, got.reason = c.Type, c.Reason
			g.Expect(c.Message).To(ContainSubstring(err.Error()), "what to do may follow")
			g.Expect(c.Message).NotTo(ContainSubstring(canary))
		}
	}
	if got.condition == "" {
		got.err = err
	}
	return got
}

func TestUnauthorized(t *testing.T) {
	foreign := &provision.ForeignError{Kind: "Secret", Namespace: "n", Name: "s"}
	for name, test := range map[string]struct {
		err        error
		admin, own outcome
	}{
		"not accepted":  {failure(remote.Unauthorized), outcome{"Authorized", "Unauthorized", nil}, outcome{"", "", errDead}},
		"forbidden":     {forbidden(), outcome{"Authorized", "Forbidden", nil}, outcome{"", "", errInsufficient}},
		"escalation":    {failure(remote.EscalationForbidden), outcome{"Authorized", "EscalationForbidden", nil}, outcome{"", "", errInsufficient}},
		"no answer":     {failure(remote.ConnectionTimedOut), outcome{"Reachable", "ConnectionFailed", nil}, outcome{"Reachable", "ConnectionFailed", nil}},
		"another thing": {failure(remote.NotAKubernetesAPI), outcome{"Reachable", "NotAKubernetesAPI", nil}, outcome{"Reachable", "NotAKubernetesAPI", nil}},
		"a quota":       {failure(remote.QuotaExceeded), outcome{"Authorized", "QuotaExceeded", nil}, outcome{"Authorized", "QuotaExceeded", nil}},
		"not there":     {failure(remote.NotFound), outcome{"Authorized", "ReferenceNotFound", nil}, outcome{"Authorized", "ReferenceNotFound", nil}},
		"foreign":       {foreign, outcome{"Authorized", "ForeignObject", nil}, outcome{"Authorized", "ForeignObject", nil}},
		"claimed":       {&provision.ClaimedError{ConfigMap: "c"}, outcome{"Authorized", "AlreadyClaimed", nil}, outcome{"Authorized", "AlreadyClaimed", nil}},
		"not known":     {errors.New(canary), outcome{"Authorized", "InternalError", nil}, outcome{"Authorized", "InternalError", nil}},
	} {
		for who, admin := range map[string]bool{"admin": true, "own": false} {
			t.Run(name+", "+who, func(t *testing.T) {
				_, s := newScope(t, newReg())
				s.admin = admin
				want := test.own
				if admin {
					want = test.admin
				}
				NewWithT(t).Expect(outcomeOf(t, s, s.unauthorized(test.err))).To(Equal(want))
			})
		}
	}
}

func TestWhatIsNotThereIsTheSpecs(t *testing.T) {
	_, s := newScope(t, newReg())
	NewWithT(t).Expect(s.unauthorized(failure(remote.NotFound))).To(MatchError("A namespace or role that the spec names does not exist " +
		"on the infra plane: create it there or change `spec.serviceAccount` or `spec.access`"))
}

func TestADeadTokenIsInsufficient(t *testing.T) {
	g := NewWithT(t)
	g.Expect(errors.Is(errDead, errInsufficient)).To(BeTrue())
	g.Expect(errors.Is(errInsufficient, errDead)).To(BeFalse())
	for _, kind := range kinds(t) {
		g.Expect(refused(kind)).To(Equal(kind == remote.Unauthorized || kind == remote.Forbidden || kind == remote.EscalationForbidden), "%s", kind)
	}
}
