// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Polarity says which status of a condition is the good one.
type Polarity int

const (
	// Positive conditions are good when True, such as Ready.
	Positive Polarity = iota
	// Negative conditions are good when False, such as Stalled.
	Negative
)

func (p Polarity) good() metav1.ConditionStatus {
	if p == Negative {
		return metav1.ConditionFalse
	}
	return metav1.ConditionTrue
}

func (p Polarity) bad() metav1.ConditionStatus {
	if p == Negative {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}

// Child is one input of Aggregate.
type Child struct {
	// Name says which child it is, in messages.
	Name string
	// Generation is the child object's own.
	Generation int64
	// Condition is the child's; nil if it has none.
	Condition *metav1.Condition
}

// Aggregate combines the same condition of many objects into one of the same
// polarity: bad if one is bad, else Unknown if one is missing, stale or Unknown,
// else good. No children at all is Unknown too.
//
// Reason and message are those of the first offender by name, with the number of
// further ones of the same status, so that the result does not depend on the
// order of children. A good result has ReasonReady and no message.
func Aggregate(polarity Polarity, children ...Child) Result {
	if len(children) == 0 {
		return Result{Status: metav1.ConditionUnknown, Reason: ReasonPending, Message: "there is nothing to report on yet"}
	}
	children = slices.Clone(children)
	slices.SortStableFunc(children, func(a, b Child) int { return strings.Compare(a.Name, b.Name) })

	var bad, unknown []Result
	for _, child := range children {
		switch r := Mirror(child.Condition, child.Generation, child.Name); r.Status {
		case polarity.good():
		case polarity.bad():
			bad = append(bad, r)
		default:
			r.Status = metav1.ConditionUnknown
			unknown = append(unknown, r)
		}
	}
	switch {
	case len(bad) > 0:
		return first(bad)
	case len(unknown) > 0:
		return first(unknown)
	default:
		return Result{Status: polarity.good(), Reason: ReasonReady}
	}
}

func first(offenders []Result) Result {
	r := offenders[0]
	if more := len(offenders) - 1; more > 0 {
		r.Message = fmt.Sprintf("%s (and %d more)", r.Message, more)
	}
	return r
}
