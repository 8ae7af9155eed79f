// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Find returns a copy of the first condition of that type, or nil.
func Find(list []metav1.Condition, t string) *metav1.Condition {
	for _, c := range list {
		if c.Type == t {
			return &c
		}
	}
	return nil
}

// IsTrue reports whether the condition is there and True, for whichever
// generation it was observed. A missing one is Unknown, so not True.
func IsTrue(list []metav1.Condition, t string) bool {
	c := Find(list, t)
	return c != nil && c.Status == metav1.ConditionTrue
}

// Current returns, in order, the conditions that were observed for that
// generation of their object; older ones speak about an earlier spec.
func Current(list []metav1.Condition, generation int64) []metav1.Condition {
	var current []metav1.Condition
	for _, c := range list {
		if c.ObservedGeneration >= generation {
			current = append(current, c)
		}
	}
	return current
}
