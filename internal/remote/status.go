// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// failureCause marks the cause that carries a Failure's kind through client-go:
// the message that tells the kinds apart does not get that far.
const failureCause metav1.CauseType = "ccluster.nvidia.com/failure"

// maxErrorBody is how much of a refusal is looked at, in bytes.
const maxErrorBody = 256 << 10

// refusal reads an answer with an error status. The Status is rebuilt from
// checked values, without the server's text; it is nil when the answer must not
// be taken for a statement about an object, such as the 404 page of a web server.
func refusal(answer *http.Response, body []byte) (Failure, *metav1.Status) {
	code := answer.StatusCode
	failure := Failure{HTTPStatus: code, RetryAfter: retryAfterHeader(answer.Header)}
	stated, ok := parseStatus(answer, body)
	if ok {
		failure.FromAPI = true
		failure.Kind = statusKind(stated)
		if stated.Details != nil && failure.RetryAfter == 0 {
			failure.RetryAfter = clampRetryAfter(time.Duration(stated.Details.RetryAfterSeconds) * time.Second)
		}
		return failure, rebuild(failure, stated)
	}
	failure.Kind = codeKind(code)
	if slices.Contains([]Kind{Unauthorized, Forbidden, TooManyRequests, ServerError}, failure.Kind) {
		return failure, rebuild(failure, metav1.Status{})
	}
	failure.Kind = NotAKubernetesAPI
	return failure, nil
}

func parseStatus(answer *http.Response, body []byte) (metav1.Status, bool) {
	var status metav1.Status
	if !isJSON(answer.Header) || json.Unmarshal(body, &status) != nil {
		return metav1.Status{}, false
	}
	status.Code = int32(answer.StatusCode) //nolint:gosec // net/http reads three digits.
	ok := status.Kind == "Status" && status.APIVersion == "v1" && status.Status == metav1.StatusFailure
	return status, ok
}

// statusFailure reads a rebuilt Status, or one of another client.
func statusFailure(status metav1.Status) Failure {
	failure := Failure{HTTPStatus: int(status.Code), FromAPI: true}
	if status.Details == nil {
		failure.Kind = statusKind(status)
		return failure
	}
	failure.RetryAfter = clampRetryAfter(time.Duration(status.Details.RetryAfterSeconds) * time.Second)
	for _, cause := range status.Details.Causes {
		if cause.Type == failureCause {
			failure.Kind, failure.FromAPI = Kind(cause.Message), cause.Field == statusField
			return failure
		}
	}
	failure.Kind = statusKind(status)
	return failure
}

// statusField is the Field of a failureCause whose answer was a Status.
const statusField = "status"

// statusKind tells apart the refusals that share a reason. The phrases are those
// of the API server's own admission plugins; a phrase that is missed only gives a
// less exact kind.
func statusKind(status metav1.Status) Kind {
	text := status.Message
	switch {
	case hasCause(status, isTerminating), strings.Contains(text, "because it is being terminated"):
		return NamespaceTerminating
	case strings.Contains(text, "admission webhook ") && strings.Contains(text, " denied the request"),
		strings.Contains(text, "AdmissionPolicy '") && strings.Contains(text, "denied request"),
		strings.Contains(text, "violates PodSecurity"):
		return AdmissionDenied
	case strings.Contains(text, "failed calling webhook"):
		return AdmissionUnavailable
	case isForbidden(status) && strings.Contains(text, "attempting to grant RBAC permissions not currently held"):
		return EscalationForbidden
	case isForbidden(status) && isQuota(text):
		return QuotaExceeded
	case status.Reason == metav1.StatusReasonInvalid && hasCause(status, isOtherUID):
		return Conflict
	}
	if kind, known := reasonKinds[status.Reason]; known {
		return kind
	}
	return codeKind(int(status.Code))
}

func isForbidden(status metav1.Status) bool {
	return status.Reason == metav1.StatusReasonForbidden || status.Code == http.StatusForbidden
}

func isQuota(text string) bool {
	for _, phrase := range []string{"exceeded quota: ", "failed quota: ", "insufficient quota to consume", "status unknown for quota"} {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

func isTerminating(cause metav1.StatusCause) bool {
	return cause.Type == corev1.NamespaceTerminatingCause
}

// isOtherUID finds what an apply with a UID gets when the object was deleted and
// made anew: that the UID is immutable. The object changed, the request is fine.
func isOtherUID(cause metav1.StatusCause) bool { return cause.Field == "metadata.uid" }

func hasCause(status metav1.Status, matches func(metav1.StatusCause) bool) bool {
	return status.Details != nil && slices.ContainsFunc(status.Details.Causes, matches)
}

var reasonKinds = map[metav1.StatusReason]Kind{
	metav1.StatusReasonUnauthorized:          Unauthorized,
	metav1.StatusReasonForbidden:             Forbidden,
	metav1.StatusReasonNotFound:              NotFound,
	metav1.StatusReasonAlreadyExists:         AlreadyExists,
	metav1.StatusReasonConflict:              Conflict,
	metav1.StatusReasonInvalid:               Invalid,
	metav1.StatusReasonBadRequest:            Invalid,
	metav1.StatusReasonRequestEntityTooLarge: Invalid,
	metav1.StatusReasonMethodNotAllowed:      Invalid,
	metav1.StatusReasonNotAcceptable:         Invalid,
	metav1.StatusReasonUnsupportedMediaType:  Invalid,
	metav1.StatusReasonTooManyRequests:       TooManyRequests,
	metav1.StatusReasonServerTimeout:         ServerError,
	metav1.StatusReasonTimeout:               ServerError,
	metav1.StatusReasonInternalError:         ServerError,
	metav1.StatusReasonServiceUnavailable:    ServerError,
	metav1.StatusReasonStoreReadError:        ServerError,
	metav1.StatusReasonGone:                  Unknown,
	metav1.StatusReasonExpired:               Unknown,
}

// codes gives the kind and the reason that an HTTP status stands for alone.
var codes = map[int]struct {
	kind   Kind
	reason metav1.StatusReason
}{
	http.StatusBadRequest:            {Invalid, metav1.StatusReasonBadRequest},
	http.StatusUnauthorized:          {Unauthorized, metav1.StatusReasonUnauthorized},
	http.StatusForbidden:             {Forbidden, metav1.StatusReasonForbidden},
	http.StatusNotFound:              {NotFound, metav1.StatusReasonNotFound},
	http.StatusConflict:              {Conflict, metav1.StatusReasonConflict},
	http.StatusRequestEntityTooLarge: {Invalid, metav1.StatusReasonRequestEntityTooLarge},
	http.StatusUnprocessableEntity:   {Invalid, metav1.StatusReasonInvalid},
	http.StatusTooManyRequests:       {TooManyRequests, metav1.StatusReasonTooManyRequests},
	http.StatusInternalServerError:   {ServerError, metav1.StatusReasonInternalError},
	http.StatusServiceUnavailable:    {ServerError, metav1.StatusReasonServiceUnavailable},
	http.StatusGatewayTimeout:        {ServerError, metav1.StatusReasonTimeout},
}

func codeKind(code int) Kind {
	if entry, known := codes[code]; known {
		return entry.kind
	}
	if code >= http.StatusInternalServerError {
		return ServerError
	}
	return Unknown
}

// rebuild makes the Status that callers see: the predicates of apierrors work on
// it, its message is ours, and every string of the server in it was checked.
func rebuild(failure Failure, stated metav1.Status) *metav1.Status {
	field := ""
	if failure.FromAPI {
		field = statusField
	}
	details := &metav1.StatusDetails{
		RetryAfterSeconds: int32(failure.RetryAfter / time.Second), //nolint:gosec // At most maxRetryAfter.
		Causes:            []metav1.StatusCause{{Type: failureCause, Message: string(failure.Kind), Field: field}},
	}
	if from := stated.Details; from != nil {
		details.Name, details.Group, details.Kind = checkedName(from.Name), checkedName(from.Group), checkedName(from.Kind)
		details.Causes = append(details.Causes, checkedCauses(from.Causes)...)
	}
	reason := stated.Reason
	if _, known := reasonKinds[reason]; !known {
		reason = codes[failure.HTTPStatus].reason
	}
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Code:     int32(failure.HTTPStatus), //nolint:gosec // net/http reads three digits.
		Reason:   reason,
		Message:  failure.Message(),
		Details:  details,
	}
}

var objectName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}$`)

func checkedName(name string) string {
	if !objectName.MatchString(name) {
		return ""
	}
	return name
}

var (
	fieldPath     = regexp.MustCompile(`^[A-Za-z0-9.:/_\[\]{}=",-]{1,256}$`)
	fieldManager  = regexp.MustCompile(`^conflict with "([A-Za-z0-9][A-Za-z0-9._-]{0,127})"`)
	maxFieldCause = 16
)

// checkedCauses keeps what an apply conflict is about: fields and their managers.
func checkedCauses(causes []metav1.StatusCause) []metav1.StatusCause {
	var kept []metav1.StatusCause
	for _, cause := range causes {
		switch {
		case len(kept) == maxFieldCause:
			return kept
		case cause.Type == corev1.NamespaceTerminatingCause:
			kept = append(kept, metav1.StatusCause{Type: cause.Type})
		case cause.Type == metav1.CauseTypeFieldManagerConflict && fieldPath.MatchString(cause.Field):
			checked := metav1.StatusCause{Type: cause.Type, Field: cause.Field}
			if match := fieldManager.FindStringSubmatch(cause.Message); match != nil {
				checked.Message = `conflict with "` + match[1] + `"`
			}
			kept = append(kept, checked)
		}
	}
	return kept
}

func retryAfterHeader(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(strings.TrimSpace(header.Get("Retry-After")))
	if err != nil || seconds < 0 {
		return 0
	}
	return clampRetryAfter(time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second)
}

func statusError(status *metav1.Status) error { return &apierrors.StatusError{ErrStatus: *status} }
