// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Check finds what is wrong with the conditions of an object, whoever wrote them:
// the type ready must be there, and not True while one of its dependencies is not
// (a missing one is Unknown); every condition needs a valid status, a reason, a
// lastTransitionTime, and no observedGeneration beyond obj's; no type appears
// twice. It is meant for the end of tests. The error joins all findings, in order.
func Check(obj client.Object, list []metav1.Condition, ready string, dependencies ...string) error {
	var errs []error
	report := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	seen := make(map[string]bool, len(list))
	for _, c := range list {
		if seen[c.Type] {
			report("condition %s: appears more than once", c.Type)
		}
		seen[c.Type] = true
		switch c.Status {
		case metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown:
		default:
			report("condition %s: status %q is not valid", c.Type, c.Status)
		}
		if c.Reason == "" {
			report("condition %s: reason is not set", c.Type)
		}
		if c.LastTransitionTime.IsZero() {
			report("condition %s: lastTransitionTime is not set", c.Type)
		}
		if c.ObservedGeneration > obj.GetGeneration() {
			report("condition %s: observedGeneration %d is beyond generation %d", c.Type, c.ObservedGeneration, obj.GetGeneration())
		}
	}
	if Find(list, ready) == nil {
		report("condition %s: is missing", ready)
	}
	if IsTrue(list, ready) {
		for _, d := range dependencies {
			if !IsTrue(list, d) {
				report("condition %s: is True while %s is not", ready, d)
			}
		}
	}
	return errors.Join(errs...)
}
