// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Mirror takes over a condition of another object, of generation, as the
// condition of this one. subject names that object in the message, such as
// "CCLInfraPlane edge-1".
//
// Status and reason are the child's, its message comes after the subject. A
// missing condition (nil), or one observed for an earlier generation, is Unknown
// with ReasonPending: what it says is not about the child's present spec.
func Mirror(child *metav1.Condition, generation int64, subject string) Result {
	pending := Result{Status: metav1.ConditionUnknown, Reason: ReasonPending}
	switch {
	case child == nil:
		pending.Message = subject + ": has not reported yet"
		return pending
	case child.ObservedGeneration < generation:
		pending.Message = subject + ": has not reported on its latest change yet"
		return pending
	}
	return Result{Status: child.Status, Reason: reasonOf(child), Message: label(subject, child.Message, reasonOf(child))}
}

// reasonOf guards against a condition that no schema checked.
func reasonOf(c *metav1.Condition) string {
	if c.Reason == "" {
		return ReasonPending
	}
	return c.Reason
}
