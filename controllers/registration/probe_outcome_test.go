// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

func TestProbeOutcomes(t *testing.T) {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	for name, test := range map[string]struct {
		end      probeEnd
		status   metav1.ConditionStatus
		reason   string
		message  string
		failures int
	}{
		"success": {
			probeEnd{result: ccluster.ProbeResult{Outcome: ccluster.ProbeSucceeded, Log: "one\ntwo\n"}},
			metav1.ConditionTrue, v1alpha1.ReasonSucceeded, "its log ends: one two", 0,
		},
		"success without a log": {
			probeEnd{result: ccluster.ProbeResult{Outcome: ccluster.ProbeSucceeded}},
			metav1.ConditionTrue, v1alpha1.ReasonSucceeded, "", 0,
		},
		"failure": {
			probeEnd{result: ccluster.ProbeResult{Outcome: ccluster.ProbeFailed, Detail: "exit code 3 (Error)", Log: "no\tway"}},
			metav1.ConditionFalse, v1alpha1.ReasonProbeFailed, "The probe's Job failed: exit code 3 (Error); its log ends: no way", 4,
		},
		"timeout": {
			probeEnd{result: ccluster.ProbeResult{Outcome: ccluster.ProbeTimedOut, Detail: "the Pod is not scheduled: Unschedulable"}},
			metav1.ConditionFalse, v1alpha1.ReasonProbeTimedOut,
			"The probe's Job did not end in `spec.probe.timeoutSeconds`: the Pod is not scheduled: Unschedulable", 4,
		},
		"log that cannot be read": {
			probeEnd{result: ccluster.ProbeResult{
				Outcome: ccluster.ProbeFailed, Detail: "exit code 1", LogErr: apierrors.NewForbidden(jobs, "p", errors.New(canary)),
			}},
			metav1.ConditionFalse, v1alpha1.ReasonProbeFailed,
			"The probe's Job failed: exit code 1; its log cannot be read: The credential does not have the required permission (HTTP 403)", 4,
		},
		"no namespace": {
			probeEnd{err: apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, canary)},
			metav1.ConditionFalse, v1alpha1.ReasonReferenceNotFound,
			"The object or its namespace does not exist (HTTP 404): create Namespace `spec.probe.namespace` on the infra plane, or name another", 4,
		},
		"no right": {
			probeEnd{err: apierrors.NewForbidden(jobs, "p", errors.New(canary))},
			metav1.ConditionFalse, v1alpha1.ReasonForbidden,
			"The credential does not have the required permission (HTTP 403): let the registered account manage Jobs and read Pods and their logs in `spec.probe.namespace`", 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, s := newScope(t, newReg())
			s.record.probeFailures = 3
			s.judge(&test.end)
			got := s.conds.Get(v1alpha1.ConditionProbed)
			g.Expect(got.Status).To(Equal(test.status))
			g.Expect(got.Reason).To(Equal(test.reason))
			g.Expect(got.Message).To(Equal(test.message))
			g.Expect(s.record.probeFailures).To(Equal(test.failures))
		})
	}
}

// A plane may say anything where a log is expected.
func TestProbeOutcomeOfAHostileLog(t *testing.T) {
	g := NewWithT(t)
	text := strings.Repeat("x", 10_000) + "\x1b[31mred\u202e ü \x00\r\nend\n\n"
	tail := logTail(ccluster.ProbeResult{Log: text})
	g.Expect(tail).To(HaveSuffix("xx?[31mred? ? ?? end"))
	g.Expect(len(tail)).To(BeNumerically("<=", maxLogged+len("; its log ends: … ")))
	for _, r := range strings.TrimPrefix(tail, "; its log ends: …") {
		g.Expect(r).To(And(BeNumerically(">=", ' '), BeNumerically("<=", '~')))
	}
}
