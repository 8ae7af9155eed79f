// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package conditions builds and reads metav1.Condition lists.
//
// A [Builder] holds the full set of condition types that one writer owns. All of
// them start Unknown with reason Pending, each step of a reconciler sets its own,
// and [Builder.Build] gives the list for a server-side apply of the status. The
// set is always complete, because apply removes what its manager leaves out, and
// because readers treat an absent condition as Unknown.
//
//	b := conditions.For(obj, obj.Status.Conditions, clock, "Reachable", "Authorized", "Ready")
//	b.Set("Reachable", metav1.ConditionTrue, "Answered", "server answers")
//	b.Keep("Authorized")
//	b.Summarize("Ready", "Reachable", "Authorized")
//	if b.Changed() { … }
//
// [Builder.Summarize] combines conditions of the same object, [Mirror] takes over
// a condition of one other object, and [Aggregate] combines those of many. In all
// three a missing input is Unknown, and they read positive polarity (True is
// good) unless a [Polarity] is given.
//
// lastTransitionTime moves only when the status of a condition changes, never for
// a new reason or message alone. It has whole seconds, as the API stores it.
//
// # Non-goals
//
// The package writes nothing to a server, defines no condition types and only the
// two reasons it needs itself, and makes no decisions from conditions: they are
// observations, not the state of a state machine.
package conditions
