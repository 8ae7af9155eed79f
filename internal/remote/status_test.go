// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func failureStatus(reason metav1.StatusReason, message string, details *metav1.StatusDetails) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Reason: reason, Message: message, Details: details,
	}
}

// Each refusal goes through a socket, the transport, client-go and the typed
// client, and must arrive with its kind and without its text.
func TestRefusalsOfTheAPI(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code   int
		status metav1.Status
		want   Kind
		is     func(error) bool
	}{
		"unauthorized":   {401, failureStatus(metav1.StatusReasonUnauthorized, gossip, nil), Unauthorized, apierrors.IsUnauthorized},
		"forbidden":      {403, failureStatus(metav1.StatusReasonForbidden, gossip, nil), Forbidden, apierrors.IsForbidden},
		"escalation":     {403, failureStatus(metav1.StatusReasonForbidden, gossip+" is attempting to grant RBAC permissions not currently held:\n"+gossip, nil), EscalationForbidden, apierrors.IsForbidden},
		"quota":          {403, failureStatus(metav1.StatusReasonForbidden, gossip+" exceeded quota: "+gossip, nil), QuotaExceeded, apierrors.IsForbidden},
		"webhook":        {403, failureStatus(gossip, `admission webhook "`+gossip+`" denied the request: `+gossip, nil), AdmissionDenied, apierrors.IsForbidden},
		"webhook down":   {500, failureStatus(metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "x"`, nil), AdmissionUnavailable, apierrors.IsInternalError},
		"terminating":    {403, failureStatus(metav1.StatusReasonForbidden, gossip, &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause, Message: gossip}}}), NamespaceTerminating, func(err error) bool { return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) }},
		"not found":      {404, failureStatus(metav1.StatusReasonNotFound, gossip, nil), NotFound, apierrors.IsNotFound},
		"already exists": {409, failureStatus(metav1.StatusReasonAlreadyExists, gossip, nil), AlreadyExists, apierrors.IsAlreadyExists},
		"conflict":       {409, failureStatus(metav1.StatusReasonConflict, gossip, nil), Conflict, apierrors.IsConflict},
		"invalid":        {422, failureStatus(metav1.StatusReasonInvalid, gossip, nil), Invalid, apierrors.IsInvalid},
		"expired list":   {410, failureStatus(metav1.StatusReasonExpired, gossip, nil), Unknown, apierrors.IsResourceExpired},
		"too many":       {429, failureStatus(metav1.StatusReasonTooManyRequests, gossip, nil), TooManyRequests, apierrors.IsTooManyRequests},
		"unavailable":    {503, failureStatus(metav1.StatusReasonServiceUnavailable, gossip, nil), ServerError, apierrors.IsServiceUnavailable},
		"forged kind":    {403, failureStatus(metav1.StatusReasonForbidden, gossip, &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: failureCause, Message: string(None)}}}), Forbidden, apierrors.IsForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			p := startPlane(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Warning", `299 - "`+gossip+`"`)
				answer(w, test.code, test.status)
			})
			conn := connect(t, p, loopback())
			err := getSecret(t, conn)
			want := Failure{Kind: test.want, HTTPStatus: test.code, FromAPI: true}
			g.Expect(expectFailure(t, err, test.want)).To(Equal(want))
			g.Expect(test.is(err)).To(BeTrue())
			g.Expect(err).To(MatchError(want.Message()))

			_, err = conn.ClusterUID(t.Context())
			g.Expect(expectFailure(t, err, test.want)).To(Equal(want))
			g.Expect(test.is(err)).To(BeTrue())
			g.Expect(p.served.Load()).To(Equal(int64(2)))
		})
	}
}

// Whatever strings a Status has, only checked ones get through.
func TestRebuiltStatusIsChecked(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	evil := "x\x1b[31m " + gossip
	causes := []metav1.StatusCause{
		{Type: "Other", Field: "metadata", Message: gossip},
		{Type: metav1.CauseTypeFieldManagerConflict, Field: `.rules[name="a"].verbs`, Message: `conflict with "kubectl-edit" using v1: ` + gossip},
		{Type: metav1.CauseTypeFieldManagerConflict, Field: ".data", Message: gossip},
		{Type: metav1.CauseTypeFieldManagerConflict, Field: evil, Message: `conflict with "kubectl"`},
		{Type: metav1.CauseTypeFieldManagerConflict, Field: ".spec", Message: `conflict with "` + evil + `"`},
	}
	stated := failureStatus(metav1.StatusReasonConflict, evil, &metav1.StatusDetails{
		Name: "system:node", Group: evil, Kind: strings.Repeat("k", 300), UID: "u", RetryAfterSeconds: 3, Causes: causes,
	})
	body, err := json.Marshal(stated)
	g.Expect(err).NotTo(HaveOccurred())
	failure, status := refusal(&http.Response{StatusCode: 409, Header: http.Header{"Content-Type": {"application/json"}}}, body)
	g.Expect(failure).To(Equal(Failure{Kind: Conflict, HTTPStatus: 409, RetryAfter: 3 * time.Second, FromAPI: true}))
	g.Expect(*status).To(Equal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Reason: metav1.StatusReasonConflict, Code: 409, Message: "The object was changed or is managed by someone else (HTTP 409)",
		Details: &metav1.StatusDetails{
			Name: "system:node", RetryAfterSeconds: 3,
			Causes: []metav1.StatusCause{
				{Type: failureCause, Message: "Conflict", Field: "status"},
				{Type: metav1.CauseTypeFieldManagerConflict, Field: `.rules[name="a"].verbs`, Message: `conflict with "kubectl-edit"`},
				{Type: metav1.CauseTypeFieldManagerConflict, Field: ".data"},
				{Type: metav1.CauseTypeFieldManagerConflict, Field: ".spec"},
			},
		},
	}))
	g.Expect(statusFailure(*status)).To(Equal(failure))

	many := make([]metav1.StatusCause, 1000)
	for i := range many {
		many[i] = causes[1]
	}
	g.Expect(checkedCauses(many)).To(HaveLen(16))
}
