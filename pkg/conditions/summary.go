// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Summarize sets t from other conditions of the same object, all of positive
// polarity: False if one of them is False, else Unknown if one of them is not
// True, else True. Without over, these are all other owned types.
//
// For False and Unknown, reason and message are those of the first offender in
// the given order, the message as "<Type>: <message>". True has ReasonReady and
// no message, and the oldest generation among what it stands on: a dependency
// that was kept from an earlier generation does not vouch for this one.
func (b *Builder) Summarize(t string, over ...string) {
	b.declared(t)
	b.declared(over...)
	if len(over) == 0 {
		for _, o := range b.order {
			if o != t {
				over = append(over, o)
			}
		}
	}
	var offender *metav1.Condition
	oldest := b.generation
	for _, o := range over {
		c := b.Get(o)
		oldest = min(oldest, c.ObservedGeneration)
		if c.Status == metav1.ConditionTrue {
			continue
		}
		if offender == nil || (c.Status == metav1.ConditionFalse && offender.Status != metav1.ConditionFalse) {
			offender = &c
		}
	}
	if offender == nil {
		b.put(t, Result{Status: metav1.ConditionTrue, Reason: ReasonReady})
		summary := b.next[t]
		summary.ObservedGeneration = oldest
		b.next[t] = summary
		return
	}
	status := metav1.ConditionUnknown
	if offender.Status == metav1.ConditionFalse {
		status = metav1.ConditionFalse
	}
	b.put(t, Result{Status: status, Reason: offender.Reason, Message: label(offender.Type, offender.Message, offender.Reason)})
}

// label says who is meant, and falls back to the reason where there is no message.
func label(subject, message, reason string) string {
	if message == "" {
		message = reason
	}
	return subject + ": " + message
}
