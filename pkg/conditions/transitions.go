// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Transition is a condition whose status or reason differs from the live one.
type Transition struct {
	Type string
	// From and To are equal if only the reason changed. A condition that the
	// object did not have counts as Unknown, with ReasonPending.
	From, To metav1.ConditionStatus
	// Reason and Message are the new ones.
	Reason, Message string
	// At least one of these is set.
	StatusChanged, ReasonChanged bool
}

// Changed reports whether any owned condition differs from the live one, or is
// not there yet. lastTransitionTime does not count.
func (b *Builder) Changed() bool {
	for _, c := range b.Conditions() {
		live, ok := b.live[c.Type]
		if !ok {
			return true
		}
		live.LastTransitionTime = c.LastTransitionTime
		if live != c {
			return true
		}
	}
	return false
}

// Transitions lists, in declared order, what is worth an event: changes of status
// or reason, but not of message or generation alone.
func (b *Builder) Transitions() []Transition {
	var list []Transition
	for _, c := range b.Conditions() {
		live, ok := b.live[c.Type]
		if !ok {
			live = metav1.Condition{Status: metav1.ConditionUnknown, Reason: ReasonPending}
		}
		tr := Transition{
			Type: c.Type, From: live.Status, To: c.Status, Reason: c.Reason, Message: c.Message,
			StatusChanged: live.Status != c.Status,
			ReasonChanged: live.Reason != c.Reason,
		}
		if tr.StatusChanged || tr.ReasonChanged {
			list = append(list, tr)
		}
	}
	return list
}
