// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestMessagesAreFixedAndDistinct(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	seen := map[string]Kind{}
	for kind := range texts {
		message := Failure{Kind: kind}.Message()
		g.Expect(seen).NotTo(HaveKey(message), string(kind))
		g.Expect(message).To(MatchRegexp(`^[A-Z][^.]*[^. ]$`), string(kind))
		seen[message] = kind
	}
	g.Expect(Failure{Kind: Unauthorized, HTTPStatus: 401, RetryAfter: time.Second}.Message()).
		To(Equal("The server does not accept the credential (HTTP 401)"))
	g.Expect(Failure{Kind: Kind(gossip)}.Message()).To(Equal("The request did not succeed"))
}

func TestErrorIsAContextError(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	timeout := fmt.Errorf("check plane: %w", failed("get version", ConnectionTimedOut))
	g.Expect(timeout).To(MatchError("check plane: get version: The server did not answer in time"))
	g.Expect(errors.Is(timeout, context.DeadlineExceeded)).To(BeTrue())
	g.Expect(errors.Is(timeout, context.Canceled)).To(BeFalse())
	g.Expect(failed("get version", ConnectionTimedOut).Timeout()).To(BeTrue())
	g.Expect(failed("get version", ConnectionLost).Timeout()).To(BeFalse())
	g.Expect(errors.Is(failed("get version", Canceled), context.Canceled)).To(BeTrue())
}

func TestClassifyOtherErrors(t *testing.T) {
	t.Parallel()
	secrets := schema.GroupResource{Resource: "secrets"}
	for name, test := range map[string]struct {
		err  error
		want Failure
	}{
		"nil":         {nil, Failure{}},
		"canceled":    {fmt.Errorf("wait: %w", context.Canceled), Failure{Kind: Canceled}},
		"deadline":    {fmt.Errorf("wait: %w", context.DeadlineExceeded), Failure{Kind: ConnectionTimedOut}},
		"anything":    {errors.New(gossip), Failure{Kind: Unknown}},
		"not found":   {apierrors.NewNotFound(secrets, "a"), Failure{Kind: NotFound, HTTPStatus: 404, FromAPI: true}},
		"wrapped":     {fmt.Errorf("read: %w", apierrors.NewConflict(secrets, "a", errors.New("x"))), Failure{Kind: Conflict, HTTPStatus: 409, FromAPI: true}},
		"retry after": {apierrors.NewTooManyRequests("x", 7), Failure{Kind: TooManyRequests, HTTPStatus: 429, RetryAfter: 7 * time.Second, FromAPI: true}},
		"silenced":    {apierrors.NewTooManyRequests("x", 1<<30), Failure{Kind: TooManyRequests, HTTPStatus: 429, RetryAfter: 10 * time.Minute, FromAPI: true}},
	} {
		NewWithT(t).Expect(Classify(test.err)).To(Equal(test.want), name)
	}
}

// The messages are those of the API server's authorizer and admission plugins.
func TestStatusKinds(t *testing.T) {
	t.Parallel()
	forbidden := func(message string) metav1.Status {
		return metav1.Status{Reason: metav1.StatusReasonForbidden, Code: 403, Message: message}
	}
	terminating := forbidden(`secrets "a" is forbidden: unable to create new content in namespace x because it is being terminated`)
	marked := forbidden("gone soon")
	marked.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}}
	otherUID := metav1.Status{Reason: metav1.StatusReasonInvalid, Code: 422, Details: &metav1.StatusDetails{
		Causes: []metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid, Field: "metadata.uid"}},
	}}
	for name, test := range map[string]struct {
		status metav1.Status
		want   Kind
	}{
		"rbac":                 {forbidden(`secrets "a" is forbidden: User "x" cannot get resource "secrets" in API group "" in the namespace "y"`), Forbidden},
		"escalation":           {forbidden("clusterrolebindings.rbac.authorization.k8s.io \"a\" is forbidden: user \"x\" (groups=[\"g\"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"*\"]}"), EscalationForbidden},
		"quota":                {forbidden(`secrets "a" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=5, limited: secrets=5`), QuotaExceeded},
		"quota needs limits":   {forbidden(`pods "a" is forbidden: failed quota: q: must specify limits.cpu`), QuotaExceeded},
		"terminating by text":  {terminating, NamespaceTerminating},
		"terminating by cause": {marked, NamespaceTerminating},
		"webhook":              {forbidden(`admission webhook "v.example.com" denied the request: no`), AdmissionDenied},
		"webhook, other code":  {metav1.Status{Code: 400, Message: `admission webhook "v.example.com" denied the request: no`}, AdmissionDenied},
		"policy":               {metav1.Status{Reason: metav1.StatusReasonInvalid, Code: 422, Message: `secrets "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`}, AdmissionDenied},
		"pod security":         {forbidden(`pods "a" is forbidden: violates PodSecurity "restricted:latest": x`), AdmissionDenied},
		"webhook down":         {metav1.Status{Reason: metav1.StatusReasonInternalError, Code: 500, Message: `Internal error occurred: failed calling webhook "v.example.com": x`}, AdmissionUnavailable},
		"already exists":       {metav1.Status{Reason: metav1.StatusReasonAlreadyExists, Code: 409}, AlreadyExists},
		"conflict":             {metav1.Status{Reason: metav1.StatusReasonConflict, Code: 409}, Conflict},
		"invalid":              {metav1.Status{Reason: metav1.StatusReasonInvalid, Code: 422}, Invalid},
		"other UID":            {otherUID, Conflict},
		"no reason":            {metav1.Status{Code: 401}, Unauthorized},
		"server timeout":       {metav1.Status{Reason: metav1.StatusReasonServerTimeout, Code: 500}, ServerError},
		"odd server error":     {metav1.Status{Code: 599}, ServerError},
		"odd client error":     {metav1.Status{Code: 418, Reason: "Teapot"}, Unknown},
	} {
		NewWithT(t).Expect(statusKind(test.status)).To(Equal(test.want), name)
	}
}
