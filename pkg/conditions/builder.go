// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The reasons this package sets by itself.
const (
	// ReasonPending goes with Unknown: nothing has been observed yet.
	ReasonPending = "Pending"
	// ReasonReady goes with a summary or an aggregate without offender.
	ReasonReady = "Ready"
)

// Builder collects the conditions of one object during one pass. It is not safe
// for concurrent use. Methods that take a condition type panic for one that was
// not declared in For: that is a mistake in the program, not in its input.
type Builder struct {
	generation int64
	clock      clock.PassiveClock
	order      []string
	live       map[string]metav1.Condition
	next       map[string]metav1.Condition // no entry: omitted
}

// For starts a Builder for obj, whose generation is stamped on every condition
// that is set. live are the conditions that obj has now, owned the types that
// the caller writes, in the order in which they are to appear; types of live that
// are not owned are ignored. Every owned type starts Unknown, with ReasonPending.
func For(obj client.Object, live []metav1.Condition, clk clock.PassiveClock, owned ...string) *Builder {
	b := &Builder{
		generation: obj.GetGeneration(),
		clock:      clk,
		live:       make(map[string]metav1.Condition, len(owned)),
		next:       make(map[string]metav1.Condition, len(owned)),
	}
	for _, t := range owned {
		if slices.Contains(b.order, t) {
			continue
		}
		b.order = append(b.order, t)
		if c := Find(live, t); c != nil {
			b.live[t] = *c
		}
		b.put(t, Result{Status: metav1.ConditionUnknown, Reason: ReasonPending})
	}
	return b
}

// Set gives a condition its status, reason and message, for the generation of
// the object. The message is cut at MaxMessageBytes. It panics for an undeclared
// type and for an empty reason, and for nothing else.
func (b *Builder) Set(t string, status metav1.ConditionStatus, reason, format string, args ...any) {
	b.SetResult(t, Result{Status: status, Reason: reason, Message: fmt.Sprintf(format, args...)})
}

// SetResult is Set with the outcome of Mirror or Aggregate.
func (b *Builder) SetResult(t string, r Result) {
	b.declared(t)
	if r.Reason == "" {
		panic(fmt.Sprintf("conditions: type %q needs a reason", t))
	}
	b.put(t, r)
}

// Keep carries the live condition forward as it is, with the generation it was
// observed for: a failure elsewhere says nothing about it. Where there is none,
// the condition is Unknown, with ReasonPending.
func (b *Builder) Keep(t string) {
	b.declared(t)
	live, ok := b.live[t]
	if !ok || live.Reason == "" {
		b.put(t, Result{Status: metav1.ConditionUnknown, Reason: ReasonPending})
		return
	}
	if live.LastTransitionTime.IsZero() {
		live.LastTransitionTime = b.now()
	}
	b.next[t] = live
}

// KeepOrOmit is Keep, except that a condition that the object does not have is
// left out of the result. It is for kinds whose readers take the presence of a
// condition as a sign; prefer Keep.
func (b *Builder) KeepOrOmit(t string) {
	b.Keep(t)
	if _, ok := b.live[t]; !ok {
		delete(b.next, t)
	}
}

// Get returns a condition as it would be built now. One that KeepOrOmit left out
// is Unknown, with ReasonPending.
func (b *Builder) Get(t string) metav1.Condition {
	b.declared(t)
	if c, ok := b.next[t]; ok {
		return c
	}
	return b.stamp(t, Result{Status: metav1.ConditionUnknown, Reason: ReasonPending})
}

// Conditions returns the owned conditions in their declared order.
func (b *Builder) Conditions() []metav1.Condition {
	list := make([]metav1.Condition, 0, len(b.order))
	for _, t := range b.order {
		if c, ok := b.next[t]; ok {
			list = append(list, c)
		}
	}
	return list
}

// Build returns the same as Conditions, for a status apply configuration. Every
// field of every condition is set.
func (b *Builder) Build() []*metav1ac.ConditionApplyConfiguration {
	list := make([]*metav1ac.ConditionApplyConfiguration, 0, len(b.order))
	for _, c := range b.Conditions() {
		list = append(list, metav1ac.Condition().
			WithType(c.Type).
			WithStatus(c.Status).
			WithObservedGeneration(c.ObservedGeneration).
			WithLastTransitionTime(c.LastTransitionTime).
			WithReason(c.Reason).
			WithMessage(c.Message))
	}
	return list
}

func (b *Builder) put(t string, r Result) { b.next[t] = b.stamp(t, r) }

func (b *Builder) stamp(t string, r Result) metav1.Condition {
	c := metav1.Condition{
		Type: t, Status: r.Status, Reason: r.Reason, Message: clip(r.Message),
		ObservedGeneration: b.generation,
	}
	if live, ok := b.live[t]; ok && live.Status == c.Status && !live.LastTransitionTime.IsZero() {
		c.LastTransitionTime = live.LastTransitionTime
	} else {
		c.LastTransitionTime = b.now()
	}
	return c
}

func (b *Builder) now() metav1.Time {
	return metav1.NewTime(b.clock.Now().Truncate(time.Second))
}

func (b *Builder) declared(types ...string) {
	for _, t := range types {
		if !slices.Contains(b.order, t) {
			panic(fmt.Sprintf("conditions: type %q is not declared", t))
		}
	}
}
