// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package reasons

import "github.com/ccluster-go/ccluster-go/api/v1alpha1"

// NextSteps say what to do about a call that failed, by the reason alone. A reason whose
// messages say it themselves is not here.
func NextSteps() map[string]string {
	return map[string]string{
		v1alpha1.ReasonConnectionFailed:     "check the address, the network and the API server",
		v1alpha1.ReasonTLSFailed:            "correct `spec.endpoint.caBundle`, `spec.endpoint.tlsServerName` or the server's certificate",
		v1alpha1.ReasonNotAKubernetesAPI:    "correct the server of the kubeconfig or `spec.endpoint.server`",
		v1alpha1.ReasonAddressDenied:        "use another address, or ask who runs the manager",
		v1alpha1.ReasonUnauthorized:         "replace the bootstrap kubeconfig by one that is still valid",
		v1alpha1.ReasonForbidden:            "use a bootstrap kubeconfig of an administrator",
		v1alpha1.ReasonEscalationForbidden:  "use a bootstrap kubeconfig of an administrator, or set a smaller `spec.access.clusterRoleName`",
		v1alpha1.ReasonAdmissionDenied:      "allow what the registration makes in that webhook or policy",
		v1alpha1.ReasonQuotaExceeded:        "make the quota larger",
		v1alpha1.ReasonNamespaceTerminating: "wait until it is gone and create it again",
		v1alpha1.ReasonTooManyRequests:      "check the load of the API server; the manager heeds the wish",
		v1alpha1.ReasonTokenPending:         "if that lasts, check that it runs a token controller, or use `spec.token.type` Bound",
		v1alpha1.ReasonServerError:          "check the API server and its webhooks",
		v1alpha1.ReasonApplyConflict:        "wait for the next attempt, or remove whatever else keeps writing it",
	}
}
