// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// checkPeriod is the time between two checks that the bench's reconciler works with.
func (b *bench) checkPeriod() time.Duration {
	if b.options.CheckPeriod == 0 {
		return time.Minute
	}
	return b.options.CheckPeriod
}

// expectOnly compares a registration with what it was before: of its conditions only the given one
// differs, and Ready, which repeats it.
func (b *bench) expectOnly(reg, before *v1alpha1.ClusterRegistration, condition, reason string) {
	GinkgoHelper()
	Expect(conditions.Check(reg, reg.Status.Conditions, v1alpha1.ConditionReady, v1alpha1.ReadyConditions()[:5]...)).To(Succeed())
	for _, t := range v1alpha1.RegistrationConditions() {
		c := conditions.Find(reg.Status.Conditions, t)
		Expect(c).NotTo(BeNil(), t)
		switch t {
		case condition:
			Expect(c.ObservedGeneration).To(Equal(reg.Generation))
			Expect([]string{t, string(c.Status), c.Reason}).To(Equal([]string{t, "False", reason}), c.Message)
			Expect(c.Message).To(beAdvice())
		case v1alpha1.ConditionReady:
			Expect([]string{t, string(c.Status), c.Reason}).To(Equal([]string{t, "False", reason}), c.Message)
			Expect(c.Message).To(Equal(condition + ": " + conditions.Find(reg.Status.Conditions, condition).Message))
		default:
			kept := conditions.Find(before.Status.Conditions, t)
			if kept == nil {
				kept = &metav1.Condition{Type: t, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonPending}
				if t == v1alpha1.ConditionProbed {
					kept.Status, kept.Reason = metav1.ConditionTrue, v1alpha1.ReasonNotRequested
				}
			}
			Expect([]string{t, string(c.Status), c.Reason, c.Message}).To(Equal([]string{t, string(kept.Status), kept.Reason, kept.Message}))
		}
	}
}

// verbs by which a message says what to do next.
var verbs = []string{
	"allow", "ask", "check", "choose", "correct", "create", "delete", "embed", "free", "give", "grant", "make", "must",
	"remove", "replace", "run", "set", "use", "wait", "will be",
}

// beAdvice matches a message that says what to do next.
func beAdvice() OmegaMatcher {
	return WithTransform(func(message string) bool {
		return slices.ContainsFunc(verbs, func(v string) bool { return strings.Contains(message, v+" ") })
	}, BeTrue())
}

// repairsIn are those events that tell of repairs.
func repairsIn(events []string) []string { return eventsOf("Repaired", events) }

// eventsOf are those events that have a reason.
func eventsOf(reason string, events []string) []string {
	return slices.DeleteFunc(slices.Clone(events), func(e string) bool {
		words := strings.Fields(e)
		return len(words) < 2 || words[1] != reason
	})
}

// expectStopped tells a registration that got as far as a condition in its first pass: those before
// it are True, those after it unknown. It returns the condition's message.
func (b *bench) expectStopped(reg *v1alpha1.ClusterRegistration, condition, reason string) string {
	GinkgoHelper()
	Expect(conditions.Check(reg, reg.Status.Conditions, v1alpha1.ConditionReady, v1alpha1.ReadyConditions()[:5]...)).To(Succeed())
	all := v1alpha1.RegistrationConditions()
	stopped := slices.Index(all, condition)
	Expect(reg.Status.Conditions).To(HaveLen(len(all)))
	Expect(reg.Status.ObservedGeneration).To(Equal(reg.Generation))
	message := reg.Status.Conditions[stopped].Message
	Expect(message).To(beAdvice(), message)
	for i, c := range reg.Status.Conditions {
		Expect(c.Type).To(Equal(all[i]))
		Expect(c.ObservedGeneration).To(Equal(reg.Generation))
		wanted := []string{string(metav1.ConditionTrue), c.Reason}
		switch {
		case c.Type == v1alpha1.ConditionProbed:
			wanted[1] = v1alpha1.ReasonNotRequested
		case i == stopped || c.Type == v1alpha1.ConditionReady:
			wanted = []string{string(metav1.ConditionFalse), reason}
		case i > stopped:
			wanted = []string{string(metav1.ConditionUnknown), v1alpha1.ReasonPending}
		}
		Expect([]string{string(c.Status), c.Reason}).To(Equal(wanted), "%s: %s", c.Type, c.Message)
	}
	Expect(reg.Status.Conditions[len(all)-1].Message).To(Equal(condition + ": " + message))
	return message
}
