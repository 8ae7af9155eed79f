// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// What a pass does not look at stays as it was, with the generation it was found for.
func TestAScopeStartsWithWhatIsKnown(t *testing.T) {
	g := NewWithT(t)
	reg := newReg()
	reg.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionReachable, Status: "False", Reason: "TLSFailed", Message: "expired", ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(now.Add(-1)),
	}}
	reg.Status.Server = "https://edge-1.example"
	r, s := newScope(t, reg)
	g.Expect(s.conds.Get(v1alpha1.ConditionReachable)).To(Equal(reg.Status.Conditions[0]))
	g.Expect(s.report.server).To(Equal("https://edge-1.example"))
	var kinds []string
	for _, c := range s.conds.Conditions() {
		kinds = append(kinds, c.Type)
	}
	g.Expect(kinds).To(Equal(v1alpha1.RegistrationConditions()))
	g.Expect(s.conds.Get(v1alpha1.ConditionAuthorized).Reason).To(Equal("Pending"))
	g.Expect(s.conds.Get(v1alpha1.ConditionProbed).Reason).To(Equal("NotRequested"))
	g.Expect(conditions.Check(reg, s.conds.Conditions(), v1alpha1.ConditionReady, v1alpha1.ReadyConditions()...)).To(Succeed())
	g.Expect(s.wanted.Marker.ControlPlaneID).To(Equal("plane-a"))
	g.Expect(s.wanted.Marker.Registration).To(Equal(regKey))
	g.Expect(s.wanted.ClaimPerAccount).To(BeFalse())
	g.Expect(r.memory.of(regKey, reg.UID)).To(BeIdenticalTo(s.record))
}

func TestConfirmKeepsItsWords(t *testing.T) {
	for name, test := range map[string]struct {
		status metav1.ConditionStatus
		want   string
	}{
		"True already": {metav1.ConditionTrue, "Accepted: 100%d"},
		"False":        {metav1.ConditionFalse, "NotRequired: own"},
		"not known":    {metav1.ConditionUnknown, "NotRequired: own"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, s := newScope(t, newReg())
			s.conds.Set(v1alpha1.ConditionBootstrapAccepted, test.status, "Accepted", "%s", "100%d")
			s.confirm(v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonNotRequired, "own")
			got := s.conds.Get(v1alpha1.ConditionBootstrapAccepted)
			g.Expect(got.Status).To(Equal(metav1.ConditionTrue))
			g.Expect(got.Reason + ": " + got.Message).To(Equal(test.want))
			g.Expect(got.ObservedGeneration).To(Equal(s.reg.Generation))
		})
	}
}

func TestProblemsAreReportedAsTheyAre(t *testing.T) {
	g := NewWithT(t)
	_, s := newScope(t, newReg())
	p := &problem{reason: "X", message: "100%d"}
	g.Expect(s.no(v1alpha1.ConditionReachable, p)).To(BeIdenticalTo(p))
	g.Expect(s.unknown(v1alpha1.ConditionAuthorized, p)).To(BeIdenticalTo(p))
	g.Expect(s.conds.Get(v1alpha1.ConditionReachable)).To(And(HaveField("Status", metav1.ConditionFalse), HaveField("Reason", "X"), HaveField("Message", "100%d")))
	g.Expect(s.conds.Get(v1alpha1.ConditionAuthorized)).To(And(HaveField("Status", metav1.ConditionUnknown), HaveField("Reason", "X"), HaveField("Message", "100%d")))
}

func TestInClusterNeedsAPermission(t *testing.T) {
	g := NewWithT(t)
	r, s := newScope(t, newReg())
	err := r.inCluster(s)
	g.Expect(outcomeOf(t, s, err)).To(Equal(outcome{"BootstrapAccepted", "ReferenceNotPermitted", nil}))

	r.options.AllowInCluster = true
	s = r.newScope(s.reg, regKey)
	g.Expect(r.inCluster(s)).To(Succeed())
	for _, condition := range v1alpha1.RegistrationConditions()[:4] {
		g.Expect(s.conds.Get(condition)).To(And(HaveField("Status", metav1.ConditionTrue), HaveField("Reason", "NotRequired")), condition)
	}
}
