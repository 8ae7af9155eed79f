// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	// ErrExpired is a resourceVersion to watch from that is too old for the server (HTTP 410). List
	// again and watch from there, or set WatchOptions.Relist.
	ErrExpired = errors.New("the resourceVersion is too old, list again")
	// ErrAbsent is that the value has nothing at the pointer.
	ErrAbsent = errors.New("nothing is there")
	// ErrEmptySelector is that DeleteAll was asked to delete everything.
	ErrEmptySelector = errors.New("the selector must not be empty")
)

// Error is a call that did not succeed.
type Error struct {
	// Method and Path are of the HTTP request. Path has no host and no query.
	Method, Path string
	// Code is the HTTP status; 0 if there was no answer.
	Code int
	// Reason and Message are the API's own.
	Reason  metav1.StatusReason
	Message string

	err error
}

// Error is "k8s: METHOD PATH: CODE REASON: MESSAGE".
func (e *Error) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("k8s: %s %s: %s", e.Method, e.Path, e.Message)
	}
	return fmt.Sprintf("k8s: %s %s: %d %s: %s", e.Method, e.Path, e.Code, e.Reason, e.Message)
}

// Unwrap returns client-go's error.
func (e *Error) Unwrap() error { return e.err }

// Is finds ErrExpired.
func (e *Error) Is(target error) bool {
	return target == ErrExpired && expired(e.err)
}

// failure makes an Error of client-go's.
func failure(method, path string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Method: method, Path: path, err: err}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		e.Code, e.Reason, e.Message = int(s.Code), s.Reason, s.Message
		if e.Reason == "" {
			e.Reason = metav1.StatusReason(http.StatusText(e.Code))
		}
		return e
	}
	// net/http's error repeats method and URL.
	if sent, ok := errors.AsType[*url.Error](err); ok {
		err = sent.Err
	}
	e.Message = err.Error()
	return e
}

func expired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// lasting tells that the same request would fail again, whenever it is made.
func lasting(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	code := status.Status().Code
	return code >= http.StatusBadRequest && code < http.StatusInternalServerError &&
		code != http.StatusTooManyRequests && code != http.StatusRequestTimeout
}
