// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Classify tells what an error means. It understands every error of this
// package, also after wrapping, and Status errors of any other Kubernetes client.
func Classify(err error) Failure {
	if err == nil {
		return Failure{}
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own.Failure
	}
	var api apierrors.APIStatus
	if errors.As(err, &api) {
		return statusFailure(api.Status())
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Failure{Kind: Canceled}
	case errors.Is(err, context.DeadlineExceeded):
		return Failure{Kind: ConnectionTimedOut}
	}
	return Failure{Kind: Unknown}
}

// dialKind classifies an error of a TCP connect.
func dialKind(ctx context.Context, err error) Kind {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return Canceled
	case isTimeout(err) || ctx.Err() != nil:
		return ConnectionTimedOut
	case errors.Is(err, syscall.ECONNREFUSED):
		return ConnectionRefused
	case errors.Is(err, syscall.ECONNRESET):
		return ConnectionLost
	}
	return HostUnreachable
}

// exchangeKind classifies an error of the HTTP transport or of reading a body.
// Connected tells that the request had a connection, TLS included.
func exchangeKind(err error, connected bool) Kind {
	if kind := certificateKind(err); kind != None {
		return kind
	}
	var record tls.RecordHeaderError
	switch {
	case isTimeout(err):
		return ConnectionTimedOut
	case errors.As(err, &record), isAlert(err), !connected:
		return TLSFailed
	case isLost(err):
		return ConnectionLost
	}
	return NotAKubernetesAPI
}

func certificateKind(err error) Kind {
	var (
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
		verification *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &hostname):
		return TLSNameMismatch
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return TLSExpired
	case errors.As(err, &verification):
		return TLSUntrusted
	}
	return None
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &timeout) && timeout.Timeout())
}

// isAlert finds a TLS alert of the peer. In TLS 1.3 a refused client certificate
// shows only after the handshake, when the first answer is read.
func isAlert(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "remote error"
}

func isLost(err error) bool {
	for _, lost := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, lost) {
			return true
		}
	}
	// The errors of net/http for these have no exported type.
	text := err.Error()
	return strings.Contains(text, "http2: ") || strings.Contains(text, "server closed idle connection") ||
		strings.Contains(text, "stream error") || strings.Contains(text, "connection error")
}

// maxRetryAfter keeps a hostile server from silencing us for good.
const maxRetryAfter = 10 * time.Minute

func clampRetryAfter(wait time.Duration) time.Duration {
	return min(max(wait, 0), maxRetryAfter)
}
