// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"context"
	"io"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// LogOptions are what Logs and StreamLogs can be told.
type LogOptions struct {
	// Container is needed if the Pod has several.
	Container string
	// Follow goes on until the container ends.
	Follow bool
	// Tail is how many of the last lines to start from; 0 is all of them.
	Tail int64
	// Limit is how many bytes to read at most; 0 is no limit.
	Limit int64
}

// Logs returns a Pod's log; it is empty if there is no such Pod, or no node has it yet. With Follow
// it returns when the container has ended.
func (c *Client) Logs(ctx context.Context, pod string, options LogOptions) (string, error) {
	stream, err := c.StreamLogs(ctx, pod, options)
	if err != nil {
		return "", err
	}
	defer func() { _ = stream.Close() }()
	text, err := io.ReadAll(stream)
	return string(text), failure(http.MethodGet, c.logPath(pod), err)
}

// StreamLogs returns a Pod's log to read from while it is written; it is empty if there is no such
// Pod. The caller closes it. It ends when ctx does.
func (c *Client) StreamLogs(ctx context.Context, pod string, options LogOptions) (io.ReadCloser, error) {
	asked := &corev1.PodLogOptions{Container: options.Container, Follow: options.Follow}
	if options.Tail > 0 {
		asked.TailLines = &options.Tail
	}
	if options.Limit > 0 {
		asked.LimitBytes = &options.Limit
	}
	stream, err := c.core.Pods(c.namespace).GetLogs(pod, asked).Stream(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return io.NopCloser(strings.NewReader("")), nil
	case err != nil:
		return nil, failure(http.MethodGet, c.logPath(pod), err)
	}
	return stream, nil
}

func (c *Client) logPath(pod string) string {
	return path(corev1.SchemeGroupVersion.WithResource("pods"), c.namespace, pod, "log")
}
