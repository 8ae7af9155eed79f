// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func TestAggregate(t *testing.T) {
	child := func(name string, status metav1.ConditionStatus, reason string) conditions.Child {
		c := live("X", status, reason, "m-"+name, 1)
		return conditions.Child{Name: name, Generation: 1, Condition: &c}
	}
	missing := conditions.Child{Name: "m", Generation: 1}
	stale := child("s", metav1.ConditionTrue, "Fine")
	stale.Generation = 2

	for name, test := range map[string]struct {
		polarity conditions.Polarity
		children []conditions.Child
		want     conditions.Result
	}{
		"no children":  {conditions.Positive, nil, conditions.Result{Status: "Unknown", Reason: "Pending", Message: "there is nothing to report on yet"}},
		"all good":     {conditions.Positive, []conditions.Child{child("a", "True", "X"), child("b", "True", "Y")}, conditions.Result{Status: "True", Reason: "Ready"}},
		"one bad":      {conditions.Positive, []conditions.Child{child("a", "True", "X"), child("b", "False", "Y"), missing}, conditions.Result{Status: "False", Reason: "Y", Message: "b: m-b"}},
		"three bad":    {conditions.Positive, []conditions.Child{child("c", "False", "Z"), child("a", "False", "X"), child("b", "False", "Y"), missing}, conditions.Result{Status: "False", Reason: "X", Message: "a: m-a (and 2 more)"}},
		"one missing":  {conditions.Positive, []conditions.Child{child("a", "True", "X"), missing}, conditions.Result{Status: "Unknown", Reason: "Pending", Message: "m: has not reported yet"}},
		"one stale":    {conditions.Positive, []conditions.Child{child("a", "True", "X"), stale}, conditions.Result{Status: "Unknown", Reason: "Pending", Message: "s: has not reported on its latest change yet"}},
		"odd status":   {conditions.Positive, []conditions.Child{child("a", "Maybe", "X")}, conditions.Result{Status: "Unknown", Reason: "X", Message: "a: m-a"}},
		"all good (-)": {conditions.Negative, []conditions.Child{child("a", "False", "X")}, conditions.Result{Status: "False", Reason: "Ready"}},
		"one bad (-)":  {conditions.Negative, []conditions.Child{child("a", "False", "X"), child("b", "True", "Stalled")}, conditions.Result{Status: "True", Reason: "Stalled", Message: "b: m-b"}},
		"missing (-)":  {conditions.Negative, []conditions.Child{child("a", "False", "X"), missing}, conditions.Result{Status: "Unknown", Reason: "Pending", Message: "m: has not reported yet"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			given := slices.Clone(test.children)
			g.Expect(conditions.Aggregate(test.polarity, test.children...)).To(Equal(test.want))
			g.Expect(test.children).To(Equal(given), "the caller's list stays as it is")
			slices.Reverse(test.children)
			g.Expect(conditions.Aggregate(test.polarity, test.children...)).To(Equal(test.want), "the order does not matter")
		})
	}
}
