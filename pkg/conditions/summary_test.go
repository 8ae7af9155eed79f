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

func TestSummarize(t *testing.T) {
	type set struct {
		t       string
		status  metav1.ConditionStatus
		reason  string
		message string
	}
	ok := func(t string) set { return set{t, metav1.ConditionTrue, "Fine", "all is well"} }
	for name, test := range map[string]struct {
		sets []set
		over []string
		want conditions.Result
	}{
		"all True": {
			[]set{ok("A"), ok("B"), ok("C")},
			[]string{"A", "B", "C"},
			conditions.Result{Status: metav1.ConditionTrue, Reason: "Ready"},
		},
		"False beats an earlier Unknown": {
			[]set{{"B", metav1.ConditionFalse, "Refused", "100% refused"}, ok("C")},
			[]string{"A", "B", "C"},
			conditions.Result{Status: metav1.ConditionFalse, Reason: "Refused", Message: "B: 100% refused"},
		},
		"the first False": {
			[]set{{"C", metav1.ConditionFalse, "Late", "c"}, {"B", metav1.ConditionFalse, "Early", "b"}},
			[]string{"C", "B"},
			conditions.Result{Status: metav1.ConditionFalse, Reason: "Late", Message: "C: c"},
		},
		"the first Unknown": {
			[]set{ok("A"), {"B", metav1.ConditionUnknown, "Waiting", "b"}, {"C", metav1.ConditionUnknown, "X", "c"}},
			[]string{"A", "B", "C"},
			conditions.Result{Status: metav1.ConditionUnknown, Reason: "Waiting", Message: "B: b"},
		},
		"a reason in place of a message": {
			[]set{ok("A")},
			[]string{"A", "B"},
			conditions.Result{Status: metav1.ConditionUnknown, Reason: "Pending", Message: "B: Pending"},
		},
		"only what is named": {
			[]set{ok("A"), {"B", metav1.ConditionFalse, "Broken", "b"}},
			[]string{"A"},
			conditions.Result{Status: metav1.ConditionTrue, Reason: "Ready"},
		},
		"everything, if nothing is named": {
			[]set{ok("A"), ok("B"), {"C", metav1.ConditionFalse, "Broken", "c"}},
			nil,
			conditions.Result{Status: metav1.ConditionFalse, Reason: "Broken", Message: "C: c"},
		},
		"an invalid status is Unknown": {
			[]set{{"A", "Maybe", "Odd", "a"}},
			[]string{"A"},
			conditions.Result{Status: metav1.ConditionUnknown, Reason: "Odd", Message: "A: a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b := conditions.For(object(1), nil, clocktesting.NewFakePassiveClock(started), "A", "B", "C", "Ready")
			for _, s := range test.sets {
				b.Set(s.t, s.status, s.reason, "%s", s.message)
			}
			b.Summarize("Ready", test.over...)
			g.Expect(b.Get("Ready")).To(Equal(metav1.Condition{
				Type: "Ready", Status: test.want.Status, Reason: test.want.Reason, Message: test.want.Message,
				ObservedGeneration: 1, LastTransitionTime: now,
			}))
		})
	}
}

func TestSummarizeIsNoNewerThanWhatItStandsOn(t *testing.T) {
	g := NewWithT(t)
	b := conditions.For(object(7), []metav1.Condition{
		live("A", metav1.ConditionTrue, "Fine", "", 5),
		live("Ready", metav1.ConditionTrue, "Ready", "", 5),
	}, clocktesting.NewFakePassiveClock(started), "A", "B", "Ready")
	b.Keep("A")
	b.Set("B", metav1.ConditionTrue, "Fine", "")
	b.Summarize("Ready", "A", "B")
	g.Expect(b.Get("Ready").ObservedGeneration).To(BeEquivalentTo(5))
	g.Expect(b.Get("Ready").LastTransitionTime).To(Equal(longAgo))

	b.Set("B", metav1.ConditionFalse, "Broken", "")
	b.Summarize("Ready", "A", "B")
	g.Expect(b.Get("Ready").ObservedGeneration).To(BeEquivalentTo(7), "that it is broken was seen now")
}
