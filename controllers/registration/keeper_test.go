// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// weak is an account that may not see Secrets.
func weak(reg *v1alpha1.ClusterRegistration) {
	reg.Spec.Access = &v1alpha1.Access{ClusterRoleName: "view"}
}

func TestKeeper(t *testing.T) {
	for name, test := range map[string]struct {
		access v1alpha1.Access
		admin  bool
		want   bool
	}{
		"cluster-admin":          {want: true},
		"another role":           {access: v1alpha1.Access{ClusterRoleName: "view"}},
		"another role, as admin": {access: v1alpha1.Access{ClusterRoleName: "view"}, admin: true, want: true},
		"no binding":             {access: v1alpha1.Access{Binding: v1alpha1.BindingNone}},
		"no binding, as admin":   {access: v1alpha1.Access{Binding: v1alpha1.BindingNone}, admin: true, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			reg := newReg()
			reg.Spec.Access = &test.access
			_, s := newScope(t, reg)
			s.admin = test.admin
			NewWithT(t).Expect(s.keeper()).To(Equal(test.want))
		})
	}
}

// A process that knows of no former token has to look for one, once.
func TestRecallSweep(t *testing.T) {
	later := now.Add(time.Hour)
	for name, test := range map[string]struct {
		change func(*scope)
		want   time.Time
	}{
		"a weak account":              {func(*scope) {}, now.Add(5 * time.Minute)},
		"a sweep is known":            {func(s *scope) { s.record.sweepAt = later }, later},
		"it has been done":            {func(s *scope) { s.record.recalled = true }, time.Time{}},
		"nothing is stored":           {func(s *scope) { s.stored = nil }, time.Time{}},
		"the account can look itself": {func(s *scope) { s.wanted.Account.Namespace = "ops" }, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			reg := newReg()
			weak(reg)
			r, s := newScope(t, reg)
			s.stored = &stored{authentic: true}
			s.stored.token.IssuedAt = now
			test.change(s)
			r.recallSweep(s)
			g.Expect(s.record.sweepAt).To(Equal(test.want))
			g.Expect(s.record.recalled).To(Equal(s.stored != nil))
		})
	}
}

// An admin kubeconfig that a token will need is not deleted, whatever the spec says.
func TestNeedsBootstrap(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*v1alpha1.ClusterRegistration)
		sweep  time.Time
		want   bool
	}{
		"cluster-admin":             {func(*v1alpha1.ClusterRegistration) {}, now, false},
		"weak":                      {weak, time.Time{}, false},
		"weak, with a former token": {weak, now, true},
		"weak, with one that expires": {func(r *v1alpha1.ClusterRegistration) {
			weak(r)
			r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound}
		}, time.Time{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			reg := newReg()
			test.change(reg)
			_, s := newScope(t, reg)
			s.record.sweepAt = test.sweep
			NewWithT(t).Expect(s.needsBootstrap()).To(Equal(test.want))
		})
	}
}
