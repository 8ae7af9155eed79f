// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestMirror(t *testing.T) {
	available := func(status metav1.ConditionStatus, reason, message string, generation int64) metav1.Condition {
		return metav1.Condition{Type: "Available", Status: status, Reason: reason, Message: message, ObservedGeneration: generation}
	}
	const nobody = "No controller has reported on CCLInfraPlane edge-1 yet"
	for name, test := range map[string]struct {
		conditions []metav1.Condition
		status     metav1.ConditionStatus
		reason     string
		message    string
	}{
		"nothing":              {nil, "Unknown", "NotReported", nobody},
		"another condition":    {[]metav1.Condition{{Type: "Other", Status: "True", Reason: "X"}}, "Unknown", "NotReported", nobody},
		"an unset condition":   {[]metav1.Condition{{Type: "Available", Status: "True"}}, "Unknown", "NotReported", nobody},
		"of an earlier spec":   {[]metav1.Condition{available("True", "Ready", "", 4)}, "Unknown", "NotReported", nobody},
		"available":            {[]metav1.Condition{available("True", "Ready", "", 5)}, "True", "Ready", ""},
		"available, unstamped": {[]metav1.Condition{available("True", "Ready", "", 0)}, "True", "Ready", ""},
		"not available":        {[]metav1.Condition{available("False", "ServerAlreadyRegistered", "100%d of it", 5)}, "False", "ServerAlreadyRegistered", "100%d of it"},
		"not known":            {[]metav1.Condition{available("Unknown", "ConnectionFailed", "down", 6)}, "Unknown", "ConnectionFailed", "down"},
		"the second of two":    {[]metav1.Condition{{Type: "Available", Status: "True"}, available("False", "X", "m", 5)}, "False", "X", "m"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := newScope(t, newReg())
			plane := &v1alpha1.CCLInfraPlane{ObjectMeta: metav1.ObjectMeta{Name: "edge-1", Generation: 5}}
			plane.Status.Conditions = test.conditions
			r.mirror(s, plane)
			got := s.conds.Get(v1alpha1.ConditionPlaneAvailable)
			g.Expect(got.Status).To(Equal(test.status))
			g.Expect(got.Reason).To(Equal(test.reason))
			g.Expect(got.Message).To(Equal(test.message))
			g.Expect(got.ObservedGeneration).To(Equal(s.reg.Generation), "the registration's, not the plane's")
		})
	}
}
