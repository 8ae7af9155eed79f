// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// stream sends a request whose answer has no end of its own. It holds a slot until the answer
// begins: what waits for events is no load for the plane.
func (x *exchange) stream(req *http.Request) (*http.Response, error) {
	c, policy := x.conn, x.conn.pool.policy
	timed, release := context.WithTimeout(req.Context(), policy.StreamTimeout)
	ctx, end := context.WithCancelCause(timed)
	finish := func() { end(nil); release() }
	if !c.enter(x, finish) {
		finish()
		return nil, failed(x.request.op(), ConnectionClosed)
	}
	quit := sync.OnceFunc(func() { finish(); c.leave(x) })
	// Until the answer begins it is a request like any other.
	opening := time.AfterFunc(policy.RequestTimeout, func() { end(context.DeadlineExceeded) })
	defer opening.Stop()
	if !c.slots.acquire(ctx) {
		kind := x.ended(ctx, req)
		quit()
		return nil, failed(x.request.op(), kind)
	}
	start := time.Now()
	answer, failure := x.begin(ctx, req)
	c.slots.release()
	c.pool.observe(x.request.op(), time.Since(start).Seconds(), failure.Kind)
	c.note(failure.Kind)
	if failure.Kind != None || answer == nil {
		quit()
		if answer == nil {
			return nil, &Error{Op: x.request.op(), Failure: failure}
		}
		return answer, nil
	}
	answer.Body = &streamBody{exchange: x, ctx: ctx, req: req, from: answer.Body, left: policy.MaxBody, quit: quit}
	return answer, nil
}

// begin returns an answer whose body is still to be read, or a refusal.
func (x *exchange) begin(ctx context.Context, req *http.Request) (*http.Response, Failure) {
	connected := false
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	answer, err := x.conn.transport.RoundTrip(x.outgoing(traced, req))
	if err != nil {
		return nil, x.failure(ctx, req, err, connected)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		body, failure := x.read(ctx, req, answer)
		_ = answer.Body.Close()
		return x.judge(req, answer, body, failure)
	}
	if media := mediaType(answer.Header); answer.StatusCode != http.StatusOK ||
		(x.request.verb == "watch" && media != contentJSON) || (x.request.verb != "watch" && media != "text/plain") {
		_ = answer.Body.Close()
		return nil, Failure{Kind: NotAKubernetesAPI, HTTPStatus: answer.StatusCode}
	}
	handed := buffered(req, answer.StatusCode, answer.Header.Get("Content-Type"), nil)
	handed.Body, handed.ContentLength = answer.Body, -1
	return handed, Failure{}
}

// streamBody caps what is read, and keeps the transport's words from the reader.
type streamBody struct {
	exchange *exchange
	ctx      context.Context //nolint:containedctx // It lives as long as the stream.
	req      *http.Request
	from     io.ReadCloser
	left     int64
	quit     func()
}

// Read reads on. Its errors are *Error, but for io.EOF.
func (b *streamBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, failed(b.exchange.request.op(), ResponseTooLarge)
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && err != io.EOF {
		err = &Error{Op: b.exchange.request.op(), Failure: b.exchange.failure(b.ctx, b.req, err, true)}
	}
	return n, err
}

// Close ends the stream.
func (b *streamBody) Close() error {
	err := b.from.Close()
	b.quit()
	if err != nil {
		return failed(b.exchange.request.op(), exchangeKind(err, true))
	}
	return nil
}
