// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func TestCheck(t *testing.T) {
	good := func() []metav1.Condition {
		return []metav1.Condition{
			live("A", metav1.ConditionTrue, "Fine", "", 1),
			live("B", metav1.ConditionTrue, "Fine", "", 3),
			live("Ready", metav1.ConditionTrue, "Ready", "", 3),
		}
	}
	for name, test := range map[string]struct {
		change func(list []metav1.Condition) []metav1.Condition
		want   string
	}{
		"good": {func(l []metav1.Condition) []metav1.Condition { return l }, ""},
		"not ready, as it should be": {func(l []metav1.Condition) []metav1.Condition {
			l[0].Status, l[2].Status = metav1.ConditionFalse, metav1.ConditionFalse
			return l
		}, ""},
		"no Ready":                {func(l []metav1.Condition) []metav1.Condition { return l[:2] }, "condition Ready: is missing"},
		"a dependency is not":     {func(l []metav1.Condition) []metav1.Condition { l[1].Status = "Unknown"; return l }, "condition Ready: is True while B is not"},
		"a dependency is missing": {func(l []metav1.Condition) []metav1.Condition { return l[1:] }, "condition Ready: is True while A is not"},
		"a generation to come":    {func(l []metav1.Condition) []metav1.Condition { l[1].ObservedGeneration = 4; return l }, "condition B: observedGeneration 4 is beyond generation 3"},
		"no reason":               {func(l []metav1.Condition) []metav1.Condition { l[1].Reason = ""; return l }, "condition B: reason is not set"},
		"no time":                 {func(l []metav1.Condition) []metav1.Condition { l[1].LastTransitionTime = metav1.Time{}; return l }, "condition B: lastTransitionTime is not set"},
		"twice":                   {func(l []metav1.Condition) []metav1.Condition { return append(l, l[1]) }, "condition B: appears more than once"},
		"odd status": {func(l []metav1.Condition) []metav1.Condition {
			l = append(l, l[1])
			l[3].Type, l[3].Status = "C", "Maybe"
			return l
		}, `condition C: status "Maybe" is not valid`},
		"all at once": {
			func([]metav1.Condition) []metav1.Condition {
				return []metav1.Condition{{Type: "A", ObservedGeneration: 9}}
			},
			"condition A: status \"\" is not valid\ncondition A: reason is not set\ncondition A: lastTransitionTime is not set\n" +
				"condition A: observedGeneration 9 is beyond generation 3\ncondition Ready: is missing",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := conditions.Check(object(3), test.change(good()), "Ready", "A", "B")
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(test.want))
			}
		})
	}
}
