// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditionstest_test

import (
	"fmt"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/conditions/conditionstest"
)

func Example() {
	g := NewGomega(func(message string, _ ...int) { fmt.Println(message) })
	list := []metav1.Condition{{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "Forbidden", Message: "may not list Secrets",
		ObservedGeneration: 3, LastTransitionTime: metav1.Now(),
	}}
	g.Expect(list).To(conditionstest.HaveCondition("Ready", metav1.ConditionFalse, "Forbidden"))
	g.Expect(list).To(conditionstest.MatchConditions(metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Ready", ObservedGeneration: 3,
	}))
	// Output:
	// Expected
	//     Ready=False Forbidden (generation 3): "may not list Secrets"
	// to be
	//     Ready=True Ready (generation 3): ""
}
