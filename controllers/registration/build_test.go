// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
)

func TestInsufficientAsksForABootstrap(t *testing.T) {
	plain := errors.New("plain")
	for name, test := range map[string]struct {
		err  error
		want outcome
		says string
	}{
		"a right": {
			errInsufficient,
			outcome{"Authorized", "BootstrapRequired", nil},
			"The registration's own token lacks a right that it has to have: create Secret edge-1-kubeconfig with an admin kubeconfig of the cluster again",
		},
		"the token": {
			fmt.Errorf("step: %w", errDead),
			outcome{"TokenIssued", "BootstrapRequired", nil},
			"The registration's own token is no longer accepted: create Secret edge-1-kubeconfig with an admin kubeconfig of the cluster again",
		},
		"something else": {plain, outcome{"", "", plain}, "plain"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := newScope(t, newReg())
			err := r.insufficient(s, test.err)
			g.Expect(err).To(MatchError(test.says))
			g.Expect(outcomeOf(t, s, err)).To(Equal(test.want))
			if p, ok := errors.AsType[*problem](err); ok {
				g.Expect(p.after).To(Equal(time.Minute), "the Secret is in no cache")
				g.Expect(p.backoff).To(BeFalse())
			}
		})
	}
}

// suspended is a registration whose plane is waited for.
func suspended(t *testing.T) (*Reconciler, *scope) {
	t.Helper()
	r, s := issued(t)
	s.conn, s.admin, s.plane, s.account = newConn(t), true, &provision.Plane{}, "uid-account"
	s.report.version = "v1.37.0"
	s.yes(v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonAccepted, "")
	s.yes(v1alpha1.ConditionReachable, v1alpha1.ReasonConnected, "")
	s.yes(v1alpha1.ConditionAuthorized, v1alpha1.ReasonGrantedByOwner, "%s", "100%d of it")
	r.suspendSession(s, fmt.Errorf("step: %w", &problem{reason: v1alpha1.ReasonTokenPending}))
	return r, s
}

func TestOnlyAPendingTokenIsWaitedForWithAnOpenPlane(t *testing.T) {
	g := NewWithT(t)
	r, s := issued(t)
	for _, err := range []error{errors.New("plain"), &problem{reason: v1alpha1.ReasonForbidden}, errInsufficient} {
		r.suspendSession(s, err)
		g.Expect(s.record.session).To(BeNil())
	}
	g.Expect(r.resume(s)).To(BeFalse())
}

func TestAWaitIsResumed(t *testing.T) {
	g := NewWithT(t)
	r, before := suspended(t)
	g.Expect(before.record.session.expires).To(Equal(now.Add(30 * time.Second)))
	before.close()
	g.Expect(closed(t, before.conn)).To(BeFalse(), "the session has it now")

	s := r.newScope(before.reg, regKey)
	g.Expect(r.resume(s)).To(BeTrue())
	g.Expect(s.record.session).To(BeNil())
	g.Expect(s.conn).To(BeIdenticalTo(before.conn))
	g.Expect(s.plane).To(BeIdenticalTo(before.plane))
	g.Expect(s.admin).To(BeTrue())
	g.Expect(s.account).To(Equal(before.account))
	g.Expect(s.endpoint).To(Equal(before.endpoint))
	g.Expect(s.report).To(Equal(before.report))
	for _, condition := range []string{v1alpha1.ConditionBootstrapAccepted, v1alpha1.ConditionReachable, v1alpha1.ConditionAuthorized} {
		g.Expect(s.conds.Get(condition)).To(Equal(before.conds.Get(condition)))
	}
	g.Expect(s.conds.Get(v1alpha1.ConditionTokenIssued).Status).To(Equal(metav1.ConditionUnknown))

	s.close()
	g.Expect(closed(t, s.conn)).To(BeTrue(), "the pass that ends the wait ends the admin's connection")
}

// An admin's credential does not stay in memory for long, nor work for another spec.
func TestAWaitThatIsOverIsNotResumed(t *testing.T) {
	for name, change := range map[string]func(*scope){
		"another spec": func(s *scope) { s.reg.Generation++ },
		"too late":     func(s *scope) { s.record.session.expires = now },
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := suspended(t)
			conn := s.conn
			change(s)
			g.Expect(r.resume(r.newScope(s.reg, regKey))).To(BeFalse())
			g.Expect(s.record.session).To(BeNil())
			g.Expect(closed(t, conn)).To(BeTrue())
		})
	}
}

func TestAPassClosesOnlyTheAdminsConnection(t *testing.T) {
	for name, admin := range map[string]bool{"admin": true, "own": false} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, s := newScope(t, newReg())
			s.close()
			s.conn, s.admin = newConn(t), admin
			s.close()
			g.Expect(closed(t, s.conn)).To(Equal(admin))
		})
	}
}

func TestUsable(t *testing.T) {
	g := NewWithT(t)
	_, s := newScope(t, newReg())
	g.Expect(s.usable()).To(BeFalse())
	s.stored = &stored{}
	g.Expect(s.usable()).To(BeFalse())
	s.stored.authentic = true
	g.Expect(s.usable()).To(BeTrue())
}
