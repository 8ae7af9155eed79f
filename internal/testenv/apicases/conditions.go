// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxConditions is the same in every kind.
const maxConditions = 16

func condition(kind string) Object {
	return Object{
		"type":               kind,
		"status":             string(metav1.ConditionTrue),
		"reason":             "Ready",
		"message":            "everything is as it should be",
		"observedGeneration": int64(1),
		"lastTransitionTime": "2026-01-02T03:04:05Z",
	}
}

func numberedCondition(i int) any { return condition(fmt.Sprintf("Ready%d", i)) }

// sharedStatusCases are about what the status of every kind has.
func (s subject) sharedStatusCases() []Case {
	const conditions = "status.conditions"
	const item = conditions + "[]"
	var cases []Case
	for _, some := range [][]Case{
		s.minimum("status.observedGeneration", 1),
		s.maxItems(conditions, maxConditions, numberedCondition),
		s.unique(conditions, numberedCondition),
		s.required(item + ".type"),
		s.lengths(item+".type", 0, 316, letters),
		s.pattern(item+".type", []string{"Ready", "example.com/Ready"}, []string{"", "not ready", "-Ready"}),
		s.required(item + ".status"),
		s.enum(item+".status", "True", "False", "Unknown"),
		s.required(item + ".reason"),
		s.lengths(item+".reason", 1, 1024, letters),
		s.pattern(item+".reason", []string{"Ready", "A,b:c_d"}, []string{"not ready", "1st", "Ready:"}),
		s.required(item + ".message"),
		s.lengths(item+".message", 0, 32768, letters),
		s.required(item + ".lastTransitionTime"),
		s.dateTime(item + ".lastTransitionTime"),
		s.minimum(item+".observedGeneration", 0),
	} {
		cases = append(cases, some...)
	}
	return cases
}
