// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditionstest_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/conditions/conditionstest"
)

func condition(t string) metav1.Condition {
	return metav1.Condition{Type: t, Status: metav1.ConditionTrue, Reason: "Fine", Message: "m", ObservedGeneration: 2}
}

func TestMatchConditionIgnoresTheTimeOnly(t *testing.T) {
	g := NewWithT(t)
	later := condition("A")
	later.LastTransitionTime = metav1.Now()
	g.Expect(later).To(conditionstest.MatchCondition(condition("A")))
	g.Expect(&later).To(conditionstest.MatchCondition(condition("A")))
	var none *metav1.Condition
	g.Expect(none).NotTo(conditionstest.MatchCondition(condition("A")))

	for name, change := range map[string]func(*metav1.Condition){
		"type":       func(c *metav1.Condition) { c.Type = "B" },
		"status":     func(c *metav1.Condition) { c.Status = metav1.ConditionFalse },
		"reason":     func(c *metav1.Condition) { c.Reason = "Other" },
		"message":    func(c *metav1.Condition) { c.Message = "" },
		"generation": func(c *metav1.Condition) { c.ObservedGeneration = 3 },
	} {
		other := condition("A")
		change(&other)
		g.Expect(other).NotTo(conditionstest.MatchCondition(condition("A")), name)
	}
}

func TestMatchConditionsTakesAnyOrderButNothingElse(t *testing.T) {
	g := NewWithT(t)
	a, b := condition("A"), condition("B")
	b.LastTransitionTime = metav1.Now()
	g.Expect([]metav1.Condition{b, a}).To(conditionstest.MatchConditions(a, condition("B")))
	g.Expect([]metav1.Condition{a}).NotTo(conditionstest.MatchConditions(a, condition("B")))
	g.Expect([]metav1.Condition{a, a}).NotTo(conditionstest.MatchConditions(a))
	g.Expect([]metav1.Condition{a, b}).NotTo(conditionstest.MatchConditions(a))
	g.Expect([]metav1.Condition(nil)).To(conditionstest.MatchConditions())
}

func TestHaveCondition(t *testing.T) {
	g := NewWithT(t)
	list := []metav1.Condition{condition("A")}
	g.Expect(list).To(conditionstest.HaveCondition("A", metav1.ConditionTrue, "Fine"))
	g.Expect(list).NotTo(conditionstest.HaveCondition("A", metav1.ConditionFalse, "Fine"))
	g.Expect(list).NotTo(conditionstest.HaveCondition("A", metav1.ConditionTrue, "Other"))
	g.Expect(list).NotTo(conditionstest.HaveCondition("B", metav1.ConditionTrue, "Fine"))
}

func TestFailureMessagesShowBothSides(t *testing.T) {
	g := NewWithT(t)
	matcher := conditionstest.MatchConditions(condition("A"))
	ok, err := matcher.Match([]metav1.Condition{condition("B")})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ok).To(BeFalse())
	g.Expect(matcher.FailureMessage(nil)).To(Equal("Expected\n    B=True Fine (generation 2): \"m\"\nto be\n    A=True Fine (generation 2): \"m\""))
	g.Expect(matcher.NegatedFailureMessage(nil)).To(Equal("Expected\n    B=True Fine (generation 2): \"m\"\nto be something else"))

	matcher = conditionstest.HaveCondition("B", metav1.ConditionTrue, "Fine")
	ok, err = matcher.Match([]metav1.Condition{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ok).To(BeFalse())
	g.Expect(matcher.FailureMessage(nil)).To(ContainSubstring("no B in\n    no conditions"))
}

func TestMatchersRefuseOtherTypes(t *testing.T) {
	g := NewWithT(t)
	for want, matcher := range map[string]types.GomegaMatcher{
		"MatchCondition needs a metav1.Condition, got string":    conditionstest.MatchCondition(condition("A")),
		"MatchConditions needs a []metav1.Condition, got string": conditionstest.MatchConditions(),
		"HaveCondition needs a []metav1.Condition, got string":   conditionstest.HaveCondition("A", "True", "X"),
	} {
		_, err := matcher.Match("text")
		g.Expect(err).To(MatchError(want))
	}
}
