// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func TestChangedIgnoresTheTimeOnly(t *testing.T) {
	before := live("A", metav1.ConditionTrue, "Fine", "m", 2)
	for name, test := range map[string]struct {
		live       []metav1.Condition
		generation int64
		set        conditions.Result
		want       bool
	}{
		"same":              {[]metav1.Condition{before}, 2, conditions.Result{Status: "True", Reason: "Fine", Message: "m"}, false},
		"beside others":     {[]metav1.Condition{live("Z", "False", "X", "", 1), before}, 2, conditions.Result{Status: "True", Reason: "Fine", Message: "m"}, false},
		"same without time": {[]metav1.Condition{{Type: "A", Status: "True", Reason: "Fine", Message: "m", ObservedGeneration: 2}}, 2, conditions.Result{Status: "True", Reason: "Fine", Message: "m"}, false},
		"status":            {[]metav1.Condition{before}, 2, conditions.Result{Status: "False", Reason: "Fine", Message: "m"}, true},
		"reason":            {[]metav1.Condition{before}, 2, conditions.Result{Status: "True", Reason: "Other", Message: "m"}, true},
		"message":           {[]metav1.Condition{before}, 2, conditions.Result{Status: "True", Reason: "Fine", Message: "n"}, true},
		"generation":        {[]metav1.Condition{before}, 3, conditions.Result{Status: "True", Reason: "Fine", Message: "m"}, true},
		"not there yet":     {nil, 2, conditions.Result{Status: "Unknown", Reason: "Pending"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := conditions.For(object(test.generation), test.live, clocktesting.NewFakePassiveClock(started), "A")
			b.SetResult("A", test.set)
			NewWithT(t).Expect(b.Changed()).To(Equal(test.want))
		})
	}
}

func TestTransitions(t *testing.T) {
	g := NewWithT(t)
	b := conditions.For(object(2), []metav1.Condition{
		live("Status", metav1.ConditionFalse, "Same", "", 1),
		live("Reason", metav1.ConditionFalse, "Before", "", 1),
		live("Both", metav1.ConditionFalse, "Before", "", 1),
		live("Message", metav1.ConditionFalse, "Same", "before", 1),
	}, clocktesting.NewFakePassiveClock(started), "New", "Message", "Both", "Reason", "Status", "FirstSight", "Waiting")
	b.Set("New", metav1.ConditionTrue, "Made", "made it")
	b.Set("Message", metav1.ConditionFalse, "Same", "after")
	b.Set("Both", metav1.ConditionTrue, "After", "both")
	b.Set("Reason", metav1.ConditionFalse, "After", "reason")
	b.Set("Status", metav1.ConditionTrue, "Same", "status")
	b.Set("Waiting", metav1.ConditionUnknown, "Waiting", "")

	g.Expect(b.Transitions()).To(Equal([]conditions.Transition{
		{Type: "New", From: "Unknown", To: "True", Reason: "Made", Message: "made it", StatusChanged: true, ReasonChanged: true},
		{Type: "Both", From: "False", To: "True", Reason: "After", Message: "both", StatusChanged: true, ReasonChanged: true},
		{Type: "Reason", From: "False", To: "False", Reason: "After", Message: "reason", ReasonChanged: true},
		{Type: "Status", From: "False", To: "True", Reason: "Same", Message: "status", StatusChanged: true},
		{Type: "Waiting", From: "Unknown", To: "Unknown", Reason: "Waiting", ReasonChanged: true},
	}))
}
