// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestAdviceIsOfDeclaredReasons(t *testing.T) {
	g := NewWithT(t)
	declared := reasonsDeclared(t)
	for _, steps := range []map[string]string{nextSteps, controlPlaneSteps} {
		for reason, step := range steps {
			g.Expect(declared).To(ContainElement(reason))
			g.Expect(step).To(MatchRegexp("^[a-z`].*[a-z`]$"), "it continues a sentence without its period")
		}
	}
	for reason := range controlPlaneSteps {
		g.Expect(nextSteps).To(HaveKey(reason))
	}
}

// The fixed sentences about calls that failed do not say what to do.
func TestEveryFailureOfACallHasAdvice(t *testing.T) {
	g := NewWithT(t)
	for _, kind := range kinds(t) {
		switch reason := remoteReasons[kind]; reason {
		case v1alpha1.ReasonInvalidSpec, v1alpha1.ReasonReferenceNotPermitted, v1alpha1.ReasonReferenceNotFound, v1alpha1.ReasonInternalError:
			// These have messages of their own, or only the log can tell.
		default:
			g.Expect(nextSteps).To(HaveKey(reason), "%s", kind)
		}
	}
}

func TestAdvised(t *testing.T) {
	for name, test := range map[string]struct {
		condition, reason, server, want string
	}{
		"with advice":           {v1alpha1.ConditionAuthorized, v1alpha1.ReasonQuotaExceeded, "", "m: make the quota larger"},
		"without advice":        {v1alpha1.ConditionAuthorized, v1alpha1.ReasonForeignObject, edgeServer, "m"},
		"of a server":           {v1alpha1.ConditionReachable, v1alpha1.ReasonTLSFailed, edgeServer, edgeServer + ": m: correct `spec.endpoint.caBundle`, `spec.endpoint.tlsServerName` or the server's certificate"},
		"of a server, untold":   {v1alpha1.ConditionReachable, v1alpha1.ReasonServerAlreadyRegistered, edgeServer, "m"},
		"of no server yet":      {v1alpha1.ConditionReachable, v1alpha1.ReasonQuotaExceeded, "", "m: make the quota larger"},
		"of the plane":          {v1alpha1.ConditionAuthorized, v1alpha1.ReasonForbidden, edgeServer, "m: use a bootstrap kubeconfig of an administrator"},
		"of the control plane":  {v1alpha1.ConditionCredentialsApplied, v1alpha1.ReasonForbidden, edgeServer, "m: give the manager the rights of config/rbac"},
		"of the bootstrap":      {v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonForbidden, "", "m: give the manager the rights of config/rbac"},
		"of its quota":          {v1alpha1.ConditionCredentialsApplied, v1alpha1.ReasonQuotaExceeded, "", "m: make the quota larger"},
		"of a rejected content": {v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonKubeconfigRejected, "", "m"},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := newScope(t, newReg())
			s.endpoint.Server = test.server
			NewWithT(t).Expect(s.advised(test.condition, &problem{reason: test.reason, message: "m"})).To(Equal(test.want))
		})
	}
}
