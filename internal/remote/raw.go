// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// get and post do what the typed client does, without client-go in between.

func (c *Conn) get(ctx context.Context, op, path string, into any) error {
	return c.do(ctx, op, http.MethodGet, path, nil, into)
}

func (c *Conn) post(ctx context.Context, op, path string, body, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return failed(op, Invalid)
	}
	return c.do(ctx, op, http.MethodPost, path, encoded, into)
}

func (c *Conn) do(ctx context.Context, op, method, path string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.Server()+path, bytes.NewReader(body))
	if err != nil {
		return failed(op, InvalidConfig)
	}
	if body != nil {
		req.Header.Set("Content-Type", contentJSON)
	}
	answer, err := c.RoundTrip(req)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return failed(op, Unknown)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		var status metav1.Status
		if err := json.Unmarshal(data, &status); err != nil {
			return failed(op, Unknown)
		}
		return statusError(&status)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return failed(op, NotAKubernetesAPI)
	}
	return nil
}
