// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/reasons"
)

// nextSteps say what to do about a call that failed, by the reason alone.
var nextSteps = reasons.NextSteps()

// controlPlaneSteps take their place for writes to the control plane.
var controlPlaneSteps = map[string]string{
	v1alpha1.ReasonForbidden:           "give the manager the rights of config/rbac",
	v1alpha1.ReasonEscalationForbidden: "give the manager the rights of config/rbac",
}

// advised is a problem's message with what to do, for a condition.
func (s *scope) advised(condition string, p *problem) string {
	message := p.message
	if condition == v1alpha1.ConditionReachable && s.endpoint.Server != "" && nextSteps[p.reason] != "" {
		message = s.endpoint.Server + ": " + message
	}
	step := nextSteps[p.reason]
	if isOfControlPlane(condition) && controlPlaneSteps[p.reason] != "" {
		step = controlPlaneSteps[p.reason]
	}
	if condition == v1alpha1.ConditionProbed && probeSteps[p.reason] != "" {
		step = probeSteps[p.reason]
	}
	if step == "" {
		return message
	}
	return message + ": " + step
}

// isOfControlPlane tells conditions whose failed calls are to the control plane.
func isOfControlPlane(condition string) bool {
	return condition == v1alpha1.ConditionCredentialsApplied || condition == v1alpha1.ConditionBootstrapAccepted
}
