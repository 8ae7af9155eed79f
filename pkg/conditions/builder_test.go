// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

var (
	longAgo = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	started = time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)
	now     = metav1.NewTime(time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC))
)

func object(generation int64) client.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Generation: generation}}
}

// live is a condition as read from the server, observed long ago.
func live(t string, status metav1.ConditionStatus, reason, message string, generation int64) metav1.Condition {
	return metav1.Condition{
		Type: t, Status: status, Reason: reason, Message: message,
		ObservedGeneration: generation, LastTransitionTime: longAgo,
	}
}

func TestForStartsEveryOwnedTypePending(t *testing.T) {
	g := NewWithT(t)
	b := conditions.For(object(3), []metav1.Condition{
		live("NotOurs", metav1.ConditionTrue, "X", "x", 3),
		live("Authorized", metav1.ConditionTrue, "Granted", "ok", 2),
		live("Ready", metav1.ConditionUnknown, "Pending", "", 2),
	}, clocktesting.NewFakePassiveClock(started), "Reachable", "Authorized", "Ready", "Reachable")

	g.Expect(b.Conditions()).To(Equal([]metav1.Condition{
		{Type: "Reachable", Status: metav1.ConditionUnknown, Reason: "Pending", ObservedGeneration: 3, LastTransitionTime: now},
		{Type: "Authorized", Status: metav1.ConditionUnknown, Reason: "Pending", ObservedGeneration: 3, LastTransitionTime: now},
		{Type: "Ready", Status: metav1.ConditionUnknown, Reason: "Pending", ObservedGeneration: 3, LastTransitionTime: longAgo},
	}))
}

func TestSetMovesTheTimeWithTheStatusOnly(t *testing.T) {
	before := live("Reachable", metav1.ConditionFalse, "Refused", "connection refused", 1)
	for name, test := range map[string]struct {
		live   []metav1.Condition
		status metav1.ConditionStatus
		reason string
		want   metav1.Time
	}{
		"same status":          {[]metav1.Condition{before}, metav1.ConditionFalse, "TimedOut", longAgo},
		"another status":       {[]metav1.Condition{before}, metav1.ConditionTrue, "Answered", now},
		"new condition":        {nil, metav1.ConditionFalse, "TimedOut", now},
		"live without a time":  {[]metav1.Condition{{Type: "Reachable", Status: metav1.ConditionFalse, Reason: "X"}}, metav1.ConditionFalse, "X", now},
		"first of two by type": {[]metav1.Condition{before, live("Reachable", metav1.ConditionTrue, "X", "", 1)}, metav1.ConditionFalse, "X", longAgo},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b := conditions.For(object(2), test.live, clocktesting.NewFakePassiveClock(started), "Reachable")
			b.Set("Reachable", test.status, test.reason, "tried %d times", 3)
			g.Expect(b.Get("Reachable")).To(Equal(metav1.Condition{
				Type: "Reachable", Status: test.status, Reason: test.reason, Message: "tried 3 times",
				ObservedGeneration: 2, LastTransitionTime: test.want,
			}))
		})
	}
}

func TestSetTwiceComparesWithLiveEachTime(t *testing.T) {
	g := NewWithT(t)
	clk := clocktesting.NewFakePassiveClock(started)
	b := conditions.For(object(1), []metav1.Condition{live("Ready", metav1.ConditionTrue, "Ready", "", 1)}, clk, "Ready")
	b.Set("Ready", metav1.ConditionFalse, "Broken", "")
	clk.SetTime(started.Add(time.Hour))
	b.Set("Ready", metav1.ConditionTrue, "Ready", "")
	g.Expect(b.Get("Ready").LastTransitionTime).To(Equal(longAgo), "there was no transition")
	b.Set("Ready", metav1.ConditionFalse, "Broken", "")
	g.Expect(b.Get("Ready").LastTransitionTime.Time).To(BeTemporally("==", now.Add(time.Hour)))
}

func TestSetCutsMessagesBetweenRunes(t *testing.T) {
	for name, test := range map[string]struct{ message, want string }{
		"as long as allowed": {strings.Repeat("a", 1024), strings.Repeat("a", 1024)},
		"one byte more":      {strings.Repeat("a", 1025), strings.Repeat("a", 1021) + "…"},
		// Bytes 1020 to 1022 are one rune, which the cut at 1021 would split.
		"inside of a rune": {strings.Repeat("€", 400), strings.Repeat("€", 340) + "…"},
		"of four bytes":    {strings.Repeat("𝄞", 300), strings.Repeat("𝄞", 255) + "…"},
		// JSON would replace it on the way, and the condition would never be as built.
		"invalid UTF-8": {"caf\xe9", "caf\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b := conditions.For(object(1), nil, clocktesting.NewFakePassiveClock(started), "Ready")
			b.Set("Ready", metav1.ConditionFalse, "Broken", "%s", test.message)
			got := b.Get("Ready").Message
			g.Expect(got).To(Equal(test.want))
			g.Expect(len(got)).To(BeNumerically("<=", conditions.MaxMessageBytes))
			g.Expect(utf8.ValidString(got)).To(BeTrue())
		})
	}
}

func TestPanicsAreForMistakesOnly(t *testing.T) {
	g := NewWithT(t)
	b := conditions.For(object(1), nil, clocktesting.NewFakePassiveClock(started), "Reachable", "Ready")

	undeclared := `conditions: type "Typo" is not declared`
	g.Expect(func() { b.Set("Typo", metav1.ConditionTrue, "R", "") }).To(PanicWith(undeclared))
	g.Expect(func() { b.SetResult("Typo", conditions.Result{Reason: "R"}) }).To(PanicWith(undeclared))
	g.Expect(func() { b.Keep("Typo") }).To(PanicWith(undeclared))
	g.Expect(func() { b.KeepOrOmit("Typo") }).To(PanicWith(undeclared))
	g.Expect(func() { b.Get("Typo") }).To(PanicWith(undeclared))
	g.Expect(func() { b.Summarize("Typo", "Reachable") }).To(PanicWith(undeclared))
	g.Expect(func() { b.Summarize("Ready", "Typo") }).To(PanicWith(undeclared))
	g.Expect(func() { b.Set("Ready", metav1.ConditionTrue, "", "") }).To(PanicWith(`conditions: type "Ready" needs a reason`))
	g.Expect(func() { b.Set("Ready", "Nonsense", "R", "") }).NotTo(Panic())
}

func TestKeepCarriesTheLiveConditionForward(t *testing.T) {
	g := NewWithT(t)
	before := live("Authorized", metav1.ConditionTrue, "Granted", "kept", 1)
	b := conditions.For(object(5), []metav1.Condition{
		before, {Type: "NoReason", Status: metav1.ConditionTrue}, {Type: "NoTime", Status: metav1.ConditionTrue, Reason: "R"},
	}, clocktesting.NewFakePassiveClock(started), "Authorized", "Missing", "NoReason", "NoTime")
	for _, t := range []string{"Authorized", "Missing", "NoReason", "NoTime"} {
		b.Keep(t)
	}
	g.Expect(b.Conditions()).To(Equal([]metav1.Condition{
		before,
		{Type: "Missing", Status: metav1.ConditionUnknown, Reason: "Pending", ObservedGeneration: 5, LastTransitionTime: now},
		{Type: "NoReason", Status: metav1.ConditionUnknown, Reason: "Pending", ObservedGeneration: 5, LastTransitionTime: now},
		{Type: "NoTime", Status: metav1.ConditionTrue, Reason: "R", LastTransitionTime: now},
	}))
}

func TestKeepOrOmitLeavesOutWhatNeverWas(t *testing.T) {
	g := NewWithT(t)
	before := live("Progressing", metav1.ConditionFalse, "Complete", "", 1)
	b := conditions.For(object(2), []metav1.Condition{before}, clocktesting.NewFakePassiveClock(started), "Applied", "Progressing")
	b.KeepOrOmit("Applied")
	b.KeepOrOmit("Progressing")

	g.Expect(b.Conditions()).To(Equal([]metav1.Condition{before}))
	g.Expect(b.Build()).To(HaveLen(1))
	g.Expect(b.Changed()).To(BeFalse())
	g.Expect(b.Transitions()).To(BeEmpty())
	g.Expect(b.Get("Applied").Status).To(Equal(metav1.ConditionUnknown))

	b.Set("Applied", metav1.ConditionTrue, "Applied", "")
	g.Expect(b.Conditions()).To(HaveLen(2))
	g.Expect(b.Conditions()[0].Type).To(Equal("Applied"), "the declared order holds")
}

func TestBuildGivesTheFullSet(t *testing.T) {
	g := NewWithT(t)
	b := conditions.For(object(4), []metav1.Condition{live("NotOurs", metav1.ConditionTrue, "X", "", 1)},
		clocktesting.NewFakePassiveClock(started), "Reachable", "Ready")
	b.Set("Ready", metav1.ConditionFalse, "Broken", "100%% broken")

	data, err := json.Marshal(b.Build())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(data).To(MatchJSON(`[
		{"type": "Reachable", "status": "Unknown", "reason": "Pending", "message": "",
		 "observedGeneration": 4, "lastTransitionTime": "2026-02-03T04:05:06Z"},
		{"type": "Ready", "status": "False", "reason": "Broken", "message": "100% broken",
		 "observedGeneration": 4, "lastTransitionTime": "2026-02-03T04:05:06Z"}
	]`))
}
