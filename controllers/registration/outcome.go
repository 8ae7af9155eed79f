// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"fmt"
	"time"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/reasons"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// problem is why a step could not be done: what is reported, and when to try again.
type problem struct {
	reason  string
	message string
	// after is the time to wait; zero waits for a change, or with backoff for the
	// backoff's.
	after   time.Duration
	backoff bool
	// err goes to controller-runtime, which logs and retries it.
	err error
}

// Error is the message, so that a problem can travel as an error.
func (p *problem) Error() string { return p.message }

// Unwrap gives what controller-runtime is to retry, if anything.
func (p *problem) Unwrap() error { return p.err }

// waiting is a problem that a watched change or a poll ends.
func waiting(after time.Duration, reason, format string, args ...any) *problem {
	return &problem{reason: reason, message: fmt.Sprintf(format, args...), after: after}
}

// remoteReasons are those of a failed call to a plane.
var remoteReasons = reasons.OfPlanes()

// transport tells failures of reaching the plane at all from refusals by it.
func transport(kind remote.Kind) bool {
	switch remoteReasons[kind] {
	case v1alpha1.ReasonConnectionFailed, v1alpha1.ReasonTLSFailed, v1alpha1.ReasonNotAKubernetesAPI,
		v1alpha1.ReasonAddressDenied, v1alpha1.ReasonReferenceNotPermitted,
		v1alpha1.ReasonTooManyRequests, v1alpha1.ReasonServerError, v1alpha1.ReasonInvalidSpec:
		return true
	}
	return false
}

// onPlane turns any error of work on an infra plane into a problem. Nothing that a
// plane says gets into its message.
func onPlane(err error) *problem {
	var own *problem
	var rejection *kubeconfig.Rejection
	var foreign *provision.ForeignError
	var claimed *provision.ClaimedError
	var terminating *provision.TerminatingError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &rejection):
		return &problem{reason: v1alpha1.ReasonKubeconfigRejected, message: rejection.Message}
	case errors.As(err, &foreign):
		return &problem{reason: v1alpha1.ReasonForeignObject, message: foreign.Error(), backoff: true}
	case errors.As(err, &claimed):
		return &problem{reason: v1alpha1.ReasonAlreadyClaimed, message: claimed.Error(), backoff: true}
	case errors.As(err, &terminating):
		return &problem{reason: v1alpha1.ReasonApplyConflict, message: terminating.Error(), backoff: true}
	case errors.Is(err, provision.ErrTokenPending):
		return &problem{reason: v1alpha1.ReasonTokenPending, message: "The infra plane has not issued the token yet", backoff: true}
	}
	failure := remote.Classify(err)
	p := &problem{reason: remoteReasons[failure.Kind], message: failure.Message(), after: failure.RetryAfter, backoff: true}
	if p.reason == "" || p.reason == v1alpha1.ReasonInternalError {
		p.reason, p.err = v1alpha1.ReasonInternalError, err
	}
	return p
}

// onControlPlane turns an error of a write to the control plane into a problem.
func onControlPlane(err error) *problem {
	var own *problem
	var notControlled *ccluster.NotControlledError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &notControlled):
		reason := v1alpha1.ReasonForeignObject
		if notControlled.Former {
			reason = v1alpha1.ReasonPending
		}
		return &problem{reason: reason, message: notControlled.Error(), backoff: true}
	}
	failure := remote.Classify(err)
	switch failure.Kind {
	case remote.Forbidden, remote.EscalationForbidden, remote.AdmissionDenied, remote.QuotaExceeded, remote.NamespaceTerminating:
		return &problem{reason: remoteReasons[failure.Kind], message: "The control plane: " + failure.Message(), backoff: true}
	default:
		// The control plane itself: controller-runtime retries.
		return &problem{reason: v1alpha1.ReasonInternalError, message: "The control plane: " + failure.Message(), err: err}
	}
}
