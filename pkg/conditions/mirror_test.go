// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func TestMirror(t *testing.T) {
	child := func(status metav1.ConditionStatus, reason, message string, generation int64) *metav1.Condition {
		c := live("Available", status, reason, message, generation)
		return &c
	}
	for name, test := range map[string]struct {
		child *metav1.Condition
		want  conditions.Result
	}{
		"missing": {nil, conditions.Result{Status: "Unknown", Reason: "Pending", Message: "Plane edge-1: has not reported yet"}},
		"stale": {
			child("True", "Ready", "", 2),
			conditions.Result{Status: "Unknown", Reason: "Pending", Message: "Plane edge-1: has not reported on its latest change yet"},
		},
		"stale and False": {
			child("False", "Broken", "b", 2),
			conditions.Result{Status: "Unknown", Reason: "Pending", Message: "Plane edge-1: has not reported on its latest change yet"},
		},
		"True":           {child("True", "Checked", "fine", 3), conditions.Result{Status: "True", Reason: "Checked", Message: "Plane edge-1: fine"}},
		"False":          {child("False", "Refused", "401", 3), conditions.Result{Status: "False", Reason: "Refused", Message: "Plane edge-1: 401"}},
		"Unknown":        {child("Unknown", "Waiting", "", 3), conditions.Result{Status: "Unknown", Reason: "Waiting", Message: "Plane edge-1: Waiting"}},
		"without reason": {child("False", "", "", 3), conditions.Result{Status: "False", Reason: "Pending", Message: "Plane edge-1: Pending"}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(conditions.Mirror(test.child, 3, "Plane edge-1")).To(Equal(test.want))
		})
	}
}
