// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"errors"
	"fmt"
	"time"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/reasons"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// problem is why a pass stopped, as the condition tells it.
type problem struct {
	reason, message string
	// backoff asks for another try after a growing wait, at least after, else just after it; zero
	// waits for a change.
	backoff bool
	after   time.Duration
	// err is for controller-runtime, which logs and retries it.
	err error
}

// Error is the message, so that a problem can travel as an error.
func (p *problem) Error() string { return p.message }

// Unwrap gives what controller-runtime is to retry, if anything.
func (p *problem) Unwrap() error { return p.err }

// waiting is a problem that a watched change or a look after a while ends.
func waiting(after time.Duration, reason, format string, args ...any) *problem {
	return &problem{reason: reason, message: fmt.Sprintf(format, args...), after: after}
}

var (
	remoteReasons = reasons.OfPlanes()
	nextSteps     = reasons.NextSteps()
)

// onPlane turns an error of a call to the plane into a problem. Nothing that a plane says gets
// into its message.
func onPlane(server string, err error) *problem {
	failure := remote.Classify(err)
	p := &problem{reason: remoteReasons[failure.Kind], message: server + ": " + failure.Message(), after: failure.RetryAfter, backoff: true}
	switch p.reason {
	case "", v1alpha1.ReasonInternalError:
		p.reason, p.err = v1alpha1.ReasonInternalError, err
	case v1alpha1.ReasonUnauthorized:
		p.message += ": apply the plane with a token that is still valid; a ClusterRegistration does so by itself"
		return p
	}
	if step := nextSteps[p.reason]; step != "" {
		p.message += ": " + step
	}
	return p
}

// onControlPlane turns an error of a write to the control plane into a problem.
func onControlPlane(err error) *problem {
	if own, ok := errors.AsType[*problem](err); ok {
		return own
	}
	failure := remote.Classify(err)
	p := &problem{reason: v1alpha1.ReasonInternalError, message: "The control plane: " + failure.Message(), err: err}
	switch failure.Kind { //nolint:exhaustive // all others are for controller-runtime
	case remote.Forbidden, remote.AdmissionDenied, remote.QuotaExceeded, remote.NamespaceTerminating:
		p.reason, p.err, p.backoff = remoteReasons[failure.Kind], nil, true
	}
	return p
}
