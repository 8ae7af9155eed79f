// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"math"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

func TestQuestion(t *testing.T) {
	everything := func(namespace string) authorizationv1.ResourceAttributes {
		return authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*", Namespace: namespace}
	}
	itself := authorizationv1.ResourceAttributes{
		Verb: "get", Resource: "serviceaccounts", Namespace: "kube-system", Name: "ccluster-manager",
	}
	pods := func(namespace string) *authorizationv1.ResourceAttributes {
		return &authorizationv1.ResourceAttributes{Verb: "list", Resource: "pods", Namespace: namespace}
	}
	teams := []string{"c", "a", "b"}
	for name, test := range map[string]struct {
		access v1alpha1.Access
		right  *authorizationv1.ResourceAttributes
		turns  []authorizationv1.ResourceAttributes
	}{
		"cluster-admin":          {access: v1alpha1.Access{}, turns: []authorizationv1.ResourceAttributes{everything(""), everything("")}},
		"cluster-admin, sampled": {access: v1alpha1.Access{}, right: pods(""), turns: []authorizationv1.ResourceAttributes{everything("")}},
		"another role":           {access: v1alpha1.Access{ClusterRoleName: "view"}, turns: []authorizationv1.ResourceAttributes{itself, itself}},
		"another role, sampled":  {access: v1alpha1.Access{ClusterRoleName: "view"}, right: pods(""), turns: []authorizationv1.ResourceAttributes{*pods("")}},
		"admin of some":          {access: v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: teams}, turns: []authorizationv1.ResourceAttributes{everything("a"), everything("b"), everything("c"), everything("a")}},
		"admin of one":           {access: v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{"x"}}, turns: []authorizationv1.ResourceAttributes{everything("x"), everything("x")}},
		"another, of some":       {access: v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: teams, ClusterRoleName: "edit"}, turns: []authorizationv1.ResourceAttributes{itself, itself}},
		"another, some, sampled": {access: v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: teams, ClusterRoleName: "edit"}, right: pods(""), turns: []authorizationv1.ResourceAttributes{*pods("a"), *pods("b"), *pods("c")}},
		"admin of no longer":     {access: v1alpha1.Access{Binding: v1alpha1.BindingClusterRoleBinding, Namespaces: teams}, turns: []authorizationv1.ResourceAttributes{everything("")}},
	} {
		t.Run(name, func(t *testing.T) {
			wanted := provision.WantedFor(provision.Marker{}, &v1alpha1.ClusterRegistrationSpec{Access: &test.access}, false)
			for turn, want := range test.turns {
				NewWithT(t).Expect(*question(&wanted, test.right, turn)).To(Equal(want), "turn %d", turn)
			}
		})
	}
}

func TestDue(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*record)
		want   bool
	}{
		"proven":                  {func(*record) {}, false},
		"never proven":            {func(r *record) { r.proven = nil }, true},
		"for another spec":        {func(r *record) { r.generation-- }, true},
		"at its time":             {func(r *record) { r.nextCheck = now }, true},
		"after its time":          {func(r *record) { r.nextCheck = now.Add(-time.Second) }, true},
		"a moment before":         {func(r *record) { r.nextCheck = now.Add(1) }, false},
		"for another bootstrap":   {func(r *record) { r.rebuild = true }, true},
		"with a token to sweep":   {func(r *record) { r.sweepAt = now }, true},
		"with one to sweep later": {func(r *record) { r.sweepAt = now.Add(1) }, false},
		"with an unrelated retry": {func(r *record) { r.retryAt = now.Add(-time.Hour) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := newScope(t, newReg())
			s.record.proven, s.record.generation, s.record.nextCheck = &ccluster.InfraPlane{}, s.reg.Generation, now.Add(time.Minute)
			test.change(s.record)
			NewWithT(t).Expect(s.due(now)).To(Equal(test.want))
		})
	}
}

func TestDueForRotation(t *testing.T) {
	g := NewWithT(t)
	_, s := newScope(t, newReg())
	s.record.proven, s.record.generation, s.record.nextCheck = &ccluster.InfraPlane{}, s.reg.Generation, now.Add(time.Minute)
	s.stored = &stored{authentic: true, inputs: inputs{spec: specInputs(s.reg)}}
	g.Expect(s.due(now)).To(BeFalse())
	s.stored.renewAt = now
	g.Expect(s.due(now)).To(BeTrue())
}

func TestTimesThatMayBeNever(t *testing.T) {
	g := NewWithT(t)
	var never time.Time
	early, late := now, now.Add(time.Hour)
	g.Expect(reached(never, now)).To(BeFalse())
	g.Expect(reached(now, now)).To(BeTrue())
	g.Expect(reached(now.Add(-1), now)).To(BeTrue())
	g.Expect(reached(now.Add(1), now)).To(BeFalse())
	g.Expect(next()).To(BeZero())
	g.Expect(next(never, never)).To(BeZero())
	g.Expect(next(never, late, never, early)).To(Equal(early))
	g.Expect(next(early, late, never)).To(Equal(early))
}

// What is stored is put back from memory, if it was for this spec, and looked at soon.
func TestLost(t *testing.T) {
	for name, test := range map[string]struct {
		stored     *stored
		generation int64
		want       bool
	}{
		"gone":                {nil, 3, true},
		"somebody's":          {&stored{}, 3, true},
		"there":               {&stored{authentic: true}, 3, false},
		"gone, another spec":  {nil, 2, false},
		"there, another spec": {&stored{authentic: true}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := newScope(t, newReg())
			s.stored, s.record.generation, s.record.nextCheck = test.stored, test.generation, now
			g.Expect(r.lost(s, now)).To(Equal(test.want))
			if test.want {
				g.Expect(s.record.nextCheck).To(Equal(now.Add(time.Second)))
			} else {
				g.Expect(s.record.nextCheck).To(Equal(now))
			}
		})
	}
}

func TestJitter(t *testing.T) {
	g := NewWithT(t)
	r := newReconciler(t, newServer(t))
	for random, want := range map[float64]time.Duration{
		0: 54 * time.Second, 0.25: 57 * time.Second, 0.5: time.Minute, 0.75: 63 * time.Second,
	} {
		r.random = func() float64 { return random }
		g.Expect(r.jitter(time.Minute)).To(BeNumerically("~", want, time.Microsecond))
	}
	r.random = func() float64 { return math.Nextafter(1, 0) }
	g.Expect(r.jitter(time.Minute)).To(And(BeNumerically("~", 66*time.Second, time.Microsecond), BeNumerically("<=", 66*time.Second)))
	g.Expect(r.jitter(0)).To(BeZero())
}

func TestProvenRemembers(t *testing.T) {
	g := NewWithT(t)
	r, s := issued(t)
	s.record.failures, s.record.retryAt = 3, now.Add(time.Hour)
	r.proven(s)
	g.Expect(s.record.generation).To(Equal(s.reg.Generation))
	g.Expect(s.record.nextCheck).To(Equal(now.Add(time.Minute)))
	g.Expect(s.record.failures).To(BeZero())
	g.Expect(s.record.retryAt).To(BeZero())
	g.Expect(s.record.proven.Server).To(Equal("https://edge-1.example:6443"))
	g.Expect(s.record.proven.BearerToken).To(Equal(canary))
	g.Expect(s.due(now)).To(BeFalse())
	g.Expect(s.due(now.Add(time.Minute))).To(BeTrue())
}

func TestRepairsAreTold(t *testing.T) {
	g := NewWithT(t)
	g.Expect(repaired("Role a/b")).To(Equal(notice{
		kind: "Normal", reason: "Repaired", action: "Repair",
		note: "%s had been changed or deleted and is as it should be again", args: []any{"Role a/b"},
	}))
}
