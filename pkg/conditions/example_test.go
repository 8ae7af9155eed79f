// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// One pass of a reconciler: two steps, the second of which fails.
func Example() {
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
	live := []metav1.Condition{
		{Type: "Reachable", Status: metav1.ConditionTrue, Reason: "Answered", ObservedGeneration: 1},
	}
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC))

	b := conditions.For(obj, live, clock, "Reachable", "Authorized", "Available", "Ready")
	b.Set("Reachable", metav1.ConditionTrue, "Answered", "")
	b.Set("Authorized", metav1.ConditionFalse, "Forbidden", "may not create %s", "ClusterRoleBindings")
	b.SetResult("Available", conditions.Mirror(nil, 1, "Plane edge-1"))
	b.Summarize("Ready", "Reachable", "Authorized", "Available")

	for _, c := range b.Conditions() {
		fmt.Printf("%s=%s %s %q\n", c.Type, c.Status, c.Reason, c.Message)
	}
	for _, tr := range b.Transitions() {
		fmt.Printf("%s: %s to %s\n", tr.Type, tr.From, tr.To)
	}
	fmt.Println(b.Changed(), conditions.Check(obj, b.Conditions(), "Ready", "Reachable", "Authorized", "Available"))
	// Output:
	// Reachable=True Answered ""
	// Authorized=False Forbidden "may not create ClusterRoleBindings"
	// Available=Unknown Pending "Plane edge-1: has not reported yet"
	// Ready=False Forbidden "Authorized: may not create ClusterRoleBindings"
	// Authorized: Unknown to False
	// Ready: Unknown to False
	// true <nil>
}
