// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"strings"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// probeSteps say what to do about a call of a probe that failed, by the reason.
var probeSteps = map[string]string{
	v1alpha1.ReasonReferenceNotFound: "create Namespace `spec.probe.namespace` on the infra plane, or name another",
	v1alpha1.ReasonForbidden:         "let the registered account manage Jobs and read Pods and their logs in `spec.probe.namespace`",
	v1alpha1.ReasonUnauthorized:      "wait for the next attempt, with the token of that time",
	v1alpha1.ReasonAdmissionDenied:   "allow the probe's Job in that webhook or policy, or name another `spec.probe.namespace`",
	v1alpha1.ReasonInvalidSpec:       "correct `spec.probe`",
}

// judge reports how a probe has ended.
func (s *scope) judge(ended *probeEnd) {
	if ended.err != nil {
		s.record.probeFailures++
		s.not(v1alpha1.ConditionProbed, onPlane(ended.err))
		return
	}
	log := logTail(ended.result)
	switch ended.result.Outcome {
	case ccluster.ProbeSucceeded:
		s.record.probeFailures = 0
		s.yes(v1alpha1.ConditionProbed, v1alpha1.ReasonSucceeded, "%s", strings.TrimPrefix(log, "; "))
	case ccluster.ProbeTimedOut:
		s.record.probeFailures++
		s.not(v1alpha1.ConditionProbed, waiting(0, v1alpha1.ReasonProbeTimedOut,
			"The probe's Job did not end in `spec.probe.timeoutSeconds`: %s%s", ended.result.Detail, log))
	default:
		s.record.probeFailures++
		s.not(v1alpha1.ConditionProbed, waiting(0, v1alpha1.ReasonProbeFailed,
			"The probe's Job failed: %s%s", ended.result.Detail, log))
	}
}

// maxLogged is how much of the end of a log gets into a condition, in bytes.
const maxLogged = 400

// logTail is the end of a probe's log, fit for a condition: printable, and not much.
func logTail(result ccluster.ProbeResult) string {
	if result.LogErr != nil {
		return "; its log cannot be read: " + onPlane(result.LogErr).message
	}
	text := strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r > '~':
			return '?'
		}
		return r
	}, strings.TrimSpace(result.Log)))
	if text == "" {
		return ""
	}
	if len(text) > maxLogged {
		text = "… " + text[len(text)-maxLogged:]
	}
	return "; its log ends: " + text
}
