// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"
)

// exchange is one request and its answer. In its methods ctx is bounded by the
// policy, while req keeps the caller's context: the two tell our deadline from
// the caller's wish.
type exchange struct {
	conn    *Conn
	request request
}

// RoundTrip sends one request to the plane and buffers the answer. Errors are
// *Error; a refusal of the API server is an answer whose body is a Status that
// was rebuilt without the server's text. Of the header only Content-Type is
// left: Retry-After would make client-go sleep and Warning would be logged.
//
// Watches and followed logs are handed on while they come, up to Policy.MaxBody and for
// Policy.StreamTimeout; what a server says in the events of a watch is its own text.
func (c *Conn) RoundTrip(req *http.Request) (*http.Response, error) {
	defer closeBody(req)
	x := &exchange{conn: c, request: parseRequest(c.target.base, req)}
	if !c.owns(req.URL) {
		return nil, failed(x.request.op(), AddressDenied)
	}
	if x.request.stream {
		return x.stream(req)
	}
	ctx, cancel := context.WithTimeout(req.Context(), c.pool.policy.RequestTimeout)
	defer cancel()
	if !c.enter(x, cancel) {
		return nil, failed(x.request.op(), ConnectionClosed)
	}
	defer c.leave(x)
	if !c.slots.acquire(ctx) {
		return nil, failed(x.request.op(), x.ended(ctx, req))
	}
	defer c.slots.release()
	start := time.Now()
	answer, failure := x.run(ctx, req)
	c.pool.observe(x.request.op(), time.Since(start).Seconds(), failure.Kind)
	c.note(failure.Kind)
	if answer == nil {
		return nil, &Error{Op: x.request.op(), Failure: failure}
	}
	return answer, nil
}

// run returns an answer to hand on, or nil; with a refusal it returns both.
func (x *exchange) run(ctx context.Context, req *http.Request) (*http.Response, Failure) {
	header, body, failure := x.sendTwice(ctx, req)
	return x.judge(req, header, body, failure)
}

// judge tells what an answer that was read whole is worth.
func (x *exchange) judge(req *http.Request, header *http.Response, body []byte, failure Failure) (*http.Response, Failure) {
	switch {
	case failure.Kind != None:
		return nil, failure
	case header.StatusCode >= http.StatusBadRequest:
		failure, status := refusal(header, body)
		if status == nil {
			return nil, failure
		}
		return x.refused(req, status, failure)
	case header.StatusCode >= http.StatusMultipleChoices:
		return nil, Failure{Kind: Redirected, HTTPStatus: header.StatusCode}
	case header.StatusCode < http.StatusOK || !x.request.accepts(header.Header, body):
		return nil, Failure{Kind: NotAKubernetesAPI, HTTPStatus: header.StatusCode}
	}
	return buffered(req, header.StatusCode, header.Header.Get("Content-Type"), body), Failure{}
}

func (x *exchange) refused(req *http.Request, status any, failure Failure) (*http.Response, Failure) {
	body, err := json.Marshal(status)
	if err != nil {
		return nil, failure
	}
	return buffered(req, failure.HTTPStatus, contentJSON, body), failure
}

// sendTwice repeats a request that changes nothing if a kept connection turns
// out to be dead: middleboxes drop idle connections without telling, and that
// must not look like a plane that is down.
func (x *exchange) sendTwice(ctx context.Context, req *http.Request) (*http.Response, []byte, Failure) {
	header, body, failure, reused := x.send(ctx, req)
	if failure.Kind != ConnectionLost || !reused || !x.request.safe || ctx.Err() != nil || x.conn.isClosing() {
		return header, body, failure
	}
	if req.GetBody != nil {
		again, err := req.GetBody()
		if err != nil {
			return header, body, failure
		}
		copied := *req // With the caller's context; send clones it.
		copied.Body = again
		req = &copied
	} else if req.Body != nil && req.Body != http.NoBody {
		return header, body, failure
	}
	header, body, failure, _ = x.send(ctx, req)
	return header, body, failure
}

// send does one attempt. Reused tells that it went over a kept connection.
func (x *exchange) send(ctx context.Context, req *http.Request) (header *http.Response, body []byte, failure Failure, reused bool) {
	connected := false
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { connected, reused = true, info.Reused },
	})
	answer, err := x.conn.transport.RoundTrip(x.outgoing(traced, req))
	if err != nil {
		return nil, nil, x.failure(ctx, req, err, connected), reused
	}
	defer func() { _ = answer.Body.Close() }()
	body, failure = x.read(ctx, req, answer)
	return answer, body, failure, reused
}

// outgoing is the request as it is sent: nothing of the caller's that could
// name another identity, ours added.
func (x *exchange) outgoing(ctx context.Context, req *http.Request) *http.Request {
	out := req.Clone(ctx)
	out.Host = ""
	for name := range out.Header {
		if name == "Authorization" || name == "Cookie" || strings.HasPrefix(name, "Impersonate-") {
			delete(out.Header, name)
		}
	}
	if authorization := x.conn.target.authorization; authorization != "" {
		out.Header.Set("Authorization", authorization)
	}
	out.Header.Set("User-Agent", x.conn.pool.userAgent)
	out.Header.Set("Accept", acceptJSON(out.Header.Get("Accept")))
	if x.request.safe {
		// An empty value is not sent; it tells the transport that a POST may be
		// repeated when a kept connection closes under it.
		out.Header["Idempotency-Key"] = nil
	}
	return out
}

// read buffers the body up to the cap. Of a refusal only the beginning counts.
func (x *exchange) read(ctx context.Context, req *http.Request, answer *http.Response) ([]byte, Failure) {
	limit := x.conn.pool.policy.MaxBody
	refused := answer.StatusCode >= http.StatusMultipleChoices
	if refused {
		limit = min(limit, maxErrorBody)
	}
	tooLarge := Failure{Kind: ResponseTooLarge, HTTPStatus: answer.StatusCode}
	if answer.ContentLength > limit && !refused {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if kind := x.ended(ctx, req); kind != None && !refused {
		// A server that sees us leave may end its answer in good order, cut short.
		return nil, Failure{Kind: kind}
	}
	switch {
	case err != nil && refused:
		return nil, Failure{}
	case err != nil:
		return nil, x.failure(ctx, req, err, true)
	case int64(len(body)) > limit && refused:
		return nil, Failure{}
	case int64(len(body)) > limit:
		return nil, tooLarge
	}
	return body, Failure{}
}

func (x *exchange) failure(ctx context.Context, req *http.Request, err error, connected bool) Failure {
	if kind := x.ended(ctx, req); kind != None {
		return Failure{Kind: kind}
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own.Failure
	}
	return Failure{Kind: exchangeKind(err, connected)}
}

// ended tells why the request was cut short, or None if it was not.
func (x *exchange) ended(ctx context.Context, req *http.Request) Kind {
	switch {
	case errors.Is(req.Context().Err(), context.Canceled):
		return Canceled
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return ConnectionTimedOut
	case x.conn.isClosing() && ctx.Err() != nil:
		return ConnectionClosed
	}
	return None
}

func buffered(req *http.Request, code int, contentType string, body []byte) *http.Response {
	return &http.Response{
		Status:        http.StatusText(code),
		StatusCode:    code,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {contentType}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
