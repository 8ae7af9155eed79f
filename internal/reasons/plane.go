// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package reasons

import (
	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// OfPlanes maps every kind of failure to its reason.
func OfPlanes() map[remote.Kind]string {
	return map[remote.Kind]string{
		remote.InvalidConfig:        v1alpha1.ReasonInvalidSpec,
		remote.AddressDenied:        v1alpha1.ReasonAddressDenied,
		remote.ProxyNotAllowed:      v1alpha1.ReasonReferenceNotPermitted,
		remote.InsecureNotAllowed:   v1alpha1.ReasonReferenceNotPermitted,
		remote.NameNotResolved:      v1alpha1.ReasonConnectionFailed,
		remote.ConnectionRefused:    v1alpha1.ReasonConnectionFailed,
		remote.HostUnreachable:      v1alpha1.ReasonConnectionFailed,
		remote.ConnectionTimedOut:   v1alpha1.ReasonConnectionFailed,
		remote.ConnectionLost:       v1alpha1.ReasonConnectionFailed,
		remote.ConnectionClosed:     v1alpha1.ReasonConnectionFailed,
		remote.ProxyFailed:          v1alpha1.ReasonConnectionFailed,
		remote.TLSUntrusted:         v1alpha1.ReasonTLSFailed,
		remote.TLSNameMismatch:      v1alpha1.ReasonTLSFailed,
		remote.TLSExpired:           v1alpha1.ReasonTLSFailed,
		remote.TLSFailed:            v1alpha1.ReasonTLSFailed,
		remote.Redirected:           v1alpha1.ReasonNotAKubernetesAPI,
		remote.ResponseTooLarge:     v1alpha1.ReasonNotAKubernetesAPI,
		remote.NotAKubernetesAPI:    v1alpha1.ReasonNotAKubernetesAPI,
		remote.Unauthorized:         v1alpha1.ReasonUnauthorized,
		remote.Forbidden:            v1alpha1.ReasonForbidden,
		remote.EscalationForbidden:  v1alpha1.ReasonEscalationForbidden,
		remote.QuotaExceeded:        v1alpha1.ReasonQuotaExceeded,
		remote.NamespaceTerminating: v1alpha1.ReasonNamespaceTerminating,
		remote.AdmissionDenied:      v1alpha1.ReasonAdmissionDenied,
		remote.AdmissionUnavailable: v1alpha1.ReasonServerError,
		remote.NotFound:             v1alpha1.ReasonReferenceNotFound,
		remote.AlreadyExists:        v1alpha1.ReasonApplyConflict,
		remote.Conflict:             v1alpha1.ReasonApplyConflict,
		remote.Invalid:              v1alpha1.ReasonServerError,
		remote.TooManyRequests:      v1alpha1.ReasonTooManyRequests,
		remote.ServerError:          v1alpha1.ReasonServerError,
		remote.Canceled:             v1alpha1.ReasonConnectionFailed,
		remote.Unknown:              v1alpha1.ReasonInternalError,
	}
}
