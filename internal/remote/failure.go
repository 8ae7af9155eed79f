// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"fmt"
	"time"
)

// Kind names why a request to a plane did not succeed. Kinds are few and fixed,
// so that they can be used as reasons and metric labels.
type Kind string

// The kinds of failure.
const (
	// None is the kind of success.
	None Kind = ""

	// InvalidConfig: the endpoint or credential cannot be used as given.
	InvalidConfig Kind = "InvalidConfig"
	// AddressDenied: the policy forbids the address or name.
	AddressDenied Kind = "AddressDenied"
	// ProxyNotAllowed: the endpoint names a proxy, the policy forbids proxies.
	ProxyNotAllowed Kind = "ProxyNotAllowed"
	// InsecureNotAllowed: the endpoint turns verification off, the policy forbids it.
	InsecureNotAllowed Kind = "InsecureNotAllowed"

	// NameNotResolved: the host has no address.
	NameNotResolved Kind = "NameNotResolved"
	// ConnectionRefused: nothing listens on the port.
	ConnectionRefused Kind = "ConnectionRefused"
	// HostUnreachable: there is no route to the address.
	HostUnreachable Kind = "HostUnreachable"
	// ConnectionTimedOut: no connection or no complete answer in time.
	ConnectionTimedOut Kind = "ConnectionTimedOut"
	// ConnectionLost: the connection ended before the answer was complete.
	ConnectionLost Kind = "ConnectionLost"
	// ConnectionClosed: the Conn was closed or replaced; ask the Pool for the
	// current one.
	ConnectionClosed Kind = "ConnectionClosed"
	// ProxyFailed: the proxy did not connect us.
	ProxyFailed Kind = "ProxyFailed"

	// TLSUntrusted: the certificate is not signed by the CA we trust.
	TLSUntrusted Kind = "TLSUntrusted"
	// TLSNameMismatch: the certificate is for other names.
	TLSNameMismatch Kind = "TLSNameMismatch"
	// TLSExpired: the certificate is expired or not yet valid.
	TLSExpired Kind = "TLSExpired"
	// TLSFailed: the handshake failed otherwise; a server without TLS, or one
	// that refuses the client certificate.
	TLSFailed Kind = "TLSFailed"

	// Redirected: the server answered with a redirect, which is not followed.
	Redirected Kind = "Redirected"
	// ResponseTooLarge: the answer is larger than Policy.MaxBody.
	ResponseTooLarge Kind = "ResponseTooLarge"
	// NotAKubernetesAPI: the answer is not one of a Kubernetes API server.
	NotAKubernetesAPI Kind = "NotAKubernetesAPI"

	// Unauthorized: the credential is not accepted.
	Unauthorized Kind = "Unauthorized"
	// Forbidden: the credential's identity lacks a permission.
	Forbidden Kind = "Forbidden"
	// EscalationForbidden: RBAC refuses to grant what we do not hold ourselves.
	EscalationForbidden Kind = "EscalationForbidden"
	// QuotaExceeded: a ResourceQuota refuses the object.
	QuotaExceeded Kind = "QuotaExceeded"
	// NamespaceTerminating: the namespace is being deleted.
	NamespaceTerminating Kind = "NamespaceTerminating"
	// AdmissionDenied: an admission webhook or policy refuses the object.
	AdmissionDenied Kind = "AdmissionDenied"
	// AdmissionUnavailable: an admission webhook that must be asked cannot be.
	AdmissionUnavailable Kind = "AdmissionUnavailable"
	// NotFound: the object, or the namespace it would be in, does not exist.
	NotFound Kind = "NotFound"
	// AlreadyExists: an object of that name exists.
	AlreadyExists Kind = "AlreadyExists"
	// Conflict: the object changed, has another UID, or has fields of another
	// manager.
	Conflict Kind = "Conflict"
	// Invalid: the server does not accept the object or request as formed.
	Invalid Kind = "Invalid"
	// TooManyRequests: the server asks us to slow down.
	TooManyRequests Kind = "TooManyRequests"
	// ServerError: the server failed (5xx).
	ServerError Kind = "ServerError"

	// Canceled: the caller gave up.
	Canceled Kind = "Canceled"
	// Unknown: none of the others.
	Unknown Kind = "Unknown"
)

// texts are complete sentences without the final period, fit for a condition's
// message.
var texts = map[Kind]string{
	None:                 "The request succeeded",
	InvalidConfig:        "The endpoint or credential cannot be used as given",
	AddressDenied:        "The server's address is on the manager's deny-list",
	ProxyNotAllowed:      "A proxy is used only if the manager allows proxies",
	InsecureNotAllowed:   "TLS verification is turned off, which the manager does not allow",
	NameNotResolved:      "The server's name cannot be resolved",
	ConnectionRefused:    "The server refused the connection",
	HostUnreachable:      "The server's address cannot be reached",
	ConnectionTimedOut:   "The server did not answer in time",
	ConnectionLost:       "The connection ended before the answer was complete",
	ConnectionClosed:     "The connection was closed because its plane or credential was replaced",
	ProxyFailed:          "The proxy did not connect to the server",
	TLSUntrusted:         "The server's certificate is not signed by the expected authority",
	TLSNameMismatch:      "The server's certificate is not valid for the server's name",
	TLSExpired:           "The server's certificate has expired or is not yet valid",
	TLSFailed:            "The TLS handshake with the server failed",
	Redirected:           "The server answered with a redirect, which is not followed",
	ResponseTooLarge:     "The server's answer is too large",
	NotAKubernetesAPI:    "The server does not answer as a Kubernetes API server",
	Unauthorized:         "The server does not accept the credential",
	Forbidden:            "The credential does not have the required permission",
	EscalationForbidden:  "The server refuses to grant permissions that the credential does not hold itself",
	QuotaExceeded:        "A resource quota of the namespace does not allow the object",
	NamespaceTerminating: "The namespace is being deleted",
	AdmissionDenied:      "An admission webhook or policy of the server denied the request",
	AdmissionUnavailable: "An admission webhook of the server cannot be called",
	NotFound:             "The object or its namespace does not exist",
	AlreadyExists:        "An object of that name already exists",
	Conflict:             "The object was changed or is managed by someone else",
	Invalid:              "The server does not accept the request",
	TooManyRequests:      "The server asks for fewer requests",
	ServerError:          "The server failed to handle the request",
	Canceled:             "The request was canceled",
	Unknown:              "The request did not succeed",
}

// Failure is what an error of this package means.
type Failure struct {
	Kind Kind
	// HTTPStatus is the answer's status code; 0 if there was no answer.
	HTTPStatus int
	// RetryAfter is how long the server asks us to wait, at most ten minutes;
	// 0 if it does not ask.
	RetryAfter time.Duration
	// FromAPI tells that the answer was a Kubernetes Status object. A refusal
	// without it may come from anything in front of the API server, and proves
	// nothing about it.
	FromAPI bool
}

// Message is a fixed sentence for the kind, with the HTTP status if there was
// one. It has no text of the server.
func (f Failure) Message() string {
	text, known := texts[f.Kind]
	if !known {
		text = texts[Unknown]
	}
	if f.HTTPStatus != 0 {
		return fmt.Sprintf("%s (HTTP %d)", text, f.HTTPStatus)
	}
	return text
}

// Error is a failure that is no Status of an API server. Those are
// *apierrors.StatusError, rebuilt without the server's text; Classify reads both.
type Error struct {
	// Op is what was tried, such as "get secrets"; it has no name in it.
	Op      string
	Failure Failure
}

// Error is the operation and the failure's message.
func (e *Error) Error() string { return e.Op + ": " + e.Failure.Message() }

// Timeout marks timeouts for net.Error.
func (e *Error) Timeout() bool { return e.Failure.Kind == ConnectionTimedOut }

// Is lets errors.Is find the context errors. The cause itself is not kept, since
// it may quote the server, or look to client-go like something to retry.
func (e *Error) Is(target error) bool {
	switch target {
	case context.Canceled:
		return e.Failure.Kind == Canceled
	case context.DeadlineExceeded:
		return e.Failure.Kind == ConnectionTimedOut
	}
	return false
}

func failed(op string, kind Kind) *Error { return &Error{Op: op, Failure: Failure{Kind: kind}} }
