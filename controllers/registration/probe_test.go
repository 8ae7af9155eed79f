// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

func TestProbeIsDue(t *testing.T) {
	type want struct {
		at     time.Time
		needed bool
	}
	last := v1alpha1.ProbeStatus{Inputs: "a", CompletedAt: metav1.NewTime(now)}
	for name, test := range map[string]struct {
		status   v1alpha1.ProbeStatus
		probed   metav1.ConditionStatus
		failures int
		want     want
	}{
		"never run":                {v1alpha1.ProbeStatus{}, metav1.ConditionUnknown, 0, want{time.Time{}, true}},
		"of other inputs":          {v1alpha1.ProbeStatus{Inputs: "b"}, metav1.ConditionTrue, 0, want{time.Time{}, true}},
		"succeeded":                {last, metav1.ConditionTrue, 0, want{time.Time{}, false}},
		"failed before a restart":  {last, metav1.ConditionFalse, 0, want{now.Add(time.Minute), true}},
		"failed once":              {last, metav1.ConditionFalse, 1, want{now.Add(time.Minute), true}},
		"failed twice":             {last, metav1.ConditionFalse, 2, want{now.Add(2 * time.Minute), true}},
		"failed six times":         {last, metav1.ConditionFalse, 6, want{now.Add(32 * time.Minute), true}},
		"failed for a long time":   {last, metav1.ConditionFalse, 1000, want{now.Add(time.Hour), true}},
		"broken off by a restart":  {v1alpha1.ProbeStatus{}, metav1.ConditionUnknown, 0, want{time.Time{}, true}},
		"its condition is unknown": {last, metav1.ConditionUnknown, 1, want{now.Add(time.Minute), true}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, s := newScope(t, newReg())
			s.report.probe, s.record.probeFailures = test.status, test.failures
			s.conds.Set(v1alpha1.ConditionProbed, test.probed, "Reason", "")
			at, needed := s.probeDue("a")
			g.Expect(needed).To(Equal(test.want.needed))
			g.Expect(at).To(BeTemporally("==", test.want.at))
		})
	}
}

func TestProbeInputsAreTheProbeAndTheServer(t *testing.T) {
	g := NewWithT(t)
	base := probeInputs(&v1alpha1.Probe{Namespace: "default", TimeoutSeconds: 120}, "https://a")
	g.Expect(base).To(HaveLen(16))
	g.Expect(probeInputs(&v1alpha1.Probe{Namespace: "default", TimeoutSeconds: 120}, "https://a")).To(Equal(base))
	for name, other := range map[string]string{
		"server":  probeInputs(&v1alpha1.Probe{Namespace: "default", TimeoutSeconds: 120}, "https://b"),
		"command": probeInputs(&v1alpha1.Probe{Namespace: "default", TimeoutSeconds: 120, Command: []string{"true"}}, "https://a"),
		"timeout": probeInputs(&v1alpha1.Probe{Namespace: "default", TimeoutSeconds: 121}, "https://a"),
	} {
		g.Expect(other).NotTo(Equal(base), name)
	}
}

func TestProbeOptions(t *testing.T) {
	g := NewWithT(t)
	r := newReconciler(t, newServer(t))
	r.options.ProbeImage = "mirror.example/busybox:1"
	g.Expect(r.probeOptions("id", &v1alpha1.Probe{TimeoutSeconds: 30})).To(Equal(ccluster.ProbeOptions{
		ID: "id", Image: "mirror.example/busybox:1", Command: []string{"echo", "The probe has run."}, Timeout: 30 * time.Second,
	}))
	g.Expect(r.probeOptions("id", &v1alpha1.Probe{Command: []string{"true"}}).Command).To(Equal([]string{"true"}))
	asked := &v1alpha1.Probe{Image: "own", ImagePullSecretRef: v1alpha1.LocalObjectReference{Name: "pull"}}
	g.Expect(r.probeOptions("id", asked)).To(Equal(ccluster.ProbeOptions{ID: "id", Image: "own", PullSecret: "pull"}))
}

// A probe is not begun for an account that nobody has seen to be accepted, or for another spec.
func TestProbeWaitsForTheAccount(t *testing.T) {
	accepted := &ccluster.InfraPlane{Server: "https://plane.example", BearerToken: canary}
	for name, change := range map[string]func(*scope){
		"no check yet":          func(s *scope) { s.record.proven = nil },
		"of an earlier spec":    func(s *scope) { s.record.generation = 2 },
		"without a credential*": func(s *scope) { s.record.proven = &ccluster.InfraPlane{} },
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := newScope(t, newReg())
			s.reg.Spec.Probe = &v1alpha1.Probe{}
			s.conds.Set(v1alpha1.ConditionProbed, metav1.ConditionUnknown, v1alpha1.ReasonPending, "")
			s.record.proven, s.record.generation = accepted, 3
			change(s)
			r.probe(t.Context(), s)
			g.Expect(r.probes.runs).To(BeEmpty())
			g.Expect(s.conds.Get(v1alpha1.ConditionProbed).Reason).To(Equal(v1alpha1.ReasonPending))
		})
	}
}

func TestWithoutAProbeNothingIsKeptOfIt(t *testing.T) {
	g := NewWithT(t)
	r, s := newScope(t, newReg())
	s.report.probe, s.record.probeFailures, s.record.probeAt = v1alpha1.ProbeStatus{Inputs: "a"}, 3, now
	s.conds.Set(v1alpha1.ConditionProbed, metav1.ConditionFalse, v1alpha1.ReasonProbeFailed, "")
	r.probe(t.Context(), s)
	g.Expect(s.conds.Get(v1alpha1.ConditionProbed)).To(And(
		HaveField("Status", metav1.ConditionTrue), HaveField("Reason", v1alpha1.ReasonNotRequested)))
	g.Expect(s.report.probe).To(BeZero())
	g.Expect(s.record.probeFailures).To(BeZero())
	g.Expect(s.record.probeAt).To(BeZero())
}

// A pass during a run that was due must not ask for the next one at once.
func TestARunningProbeAsksForNoPass(t *testing.T) {
	g := NewWithT(t)
	r, s := newScope(t, newReg())
	s.reg.Spec.Probe = &v1alpha1.Probe{Namespace: "default"}
	s.record.proven, s.record.generation = &ccluster.InfraPlane{Server: "https://plane.example", BearerToken: canary}, 3
	inputs := probeInputs(s.reg.Spec.Probe, s.record.proven.Server)
	failed := func(at time.Time) {
		s.report.probe = v1alpha1.ProbeStatus{Inputs: inputs, CompletedAt: metav1.NewTime(at)}
		s.conds.Set(v1alpha1.ConditionProbed, metav1.ConditionFalse, v1alpha1.ReasonProbeFailed, "")
	}
	failed(now.Add(-time.Second))
	r.probe(t.Context(), s)
	g.Expect(s.record.probeAt).To(BeTemporally("==", now.Add(59*time.Second)))
	g.Expect(r.probes.runs).To(BeEmpty())

	failed(now.Add(-time.Hour))
	h := hold()
	r.probes.start(t.Context(), regKey, inputs, h.run)
	r.probe(t.Context(), s)
	g.Expect(s.record.probeAt).To(BeZero())
	g.Expect(s.conds.Get(v1alpha1.ConditionProbed).Reason).To(Equal(v1alpha1.ReasonProbeFailed), "it tells of the last run meanwhile")
	close(h.end)
	g.Eventually(func() bool { return r.probes.running(regKey, inputs) }).Should(BeFalse())
	r.probe(t.Context(), s)
	g.Expect(s.conds.Get(v1alpha1.ConditionProbed).Status).To(Equal(metav1.ConditionTrue))
	g.Expect(s.report.probe.CompletedAt.Time).To(BeTemporally("==", now))
}
