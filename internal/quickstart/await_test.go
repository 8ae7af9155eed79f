// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func registered(name string, conditions ...metav1.Condition) v1alpha1.ClusterRegistration {
	return v1alpha1.ClusterRegistration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     v1alpha1.ClusterRegistrationStatus{Conditions: conditions},
	}
}

func condition(kind, status, reason string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionStatus(status), Reason: reason}
}

func TestProgressShowsEachTurnOnce(t *testing.T) {
	g := NewWithT(t)
	seen := progress{}
	reachable, pending := condition("Reachable", "True", "Connected"), condition("Ready", "Unknown", v1alpha1.ReasonPending)

	g.Expect(seen.update([]v1alpha1.ClusterRegistration{registered("a", pending)})).To(BeEmpty(), "where everything begins")
	g.Expect(seen.update([]v1alpha1.ClusterRegistration{registered("a", reachable, pending), registered("b", reachable)})).
		To(Equal([]turn{{"a", reachable}, {"b", reachable}}))
	g.Expect(seen.update([]v1alpha1.ClusterRegistration{registered("a", reachable, pending), registered("b", reachable)})).To(BeEmpty())

	told := reachable
	told.Message = "in other words"
	g.Expect(seen.update([]v1alpha1.ClusterRegistration{registered("a", told)})).To(BeEmpty())
	lost, ready := condition("Reachable", "False", "ConnectionFailed"), condition("Ready", "True", "Ready")
	g.Expect(seen.update([]v1alpha1.ClusterRegistration{registered("a", lost, ready)})).
		To(Equal([]turn{{"a", lost}, {"a", ready}}))
}

func TestAllReadyNeedsEveryRegistration(t *testing.T) {
	ready, not := condition("Ready", "True", "Ready"), condition("Ready", "False", "NotReady")
	for name, c := range map[string]struct {
		registrations []v1alpha1.ClusterRegistration
		want          bool
	}{
		"none yet":     {nil, false},
		"no condition": {[]v1alpha1.ClusterRegistration{registered("a")}, false},
		"one of two":   {[]v1alpha1.ClusterRegistration{registered("a", ready), registered("b", not)}, false},
		"another True": {[]v1alpha1.ClusterRegistration{registered("a", condition("Probed", "True", "Done"), not)}, false},
		"both":         {[]v1alpha1.ClusterRegistration{registered("a", ready), registered("b", ready)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(allReady(c.registrations)).To(Equal(c.want))
		})
	}
}
