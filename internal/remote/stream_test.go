// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const (
	watchPath  = "/apis/batch/v1/namespaces/a/jobs?watch=true"
	followPath = "/api/v1/namespaces/a/pods/p/log?follow=true"
)

// stepwise is a server whose answer grows by what the channel has, until that is closed.
func stepwise(contentType string, steps <-chan string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/version" {
			answerText(w, http.StatusOK, contentJSON, goodVersion)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(http.StatusOK)
		flusher, _ := w.(http.Flusher)
		flusher.Flush()
		for {
			select {
			case text, open := <-steps:
				if !open {
					return
				}
				_, _ = io.WriteString(w, text)
				flusher.Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
}

// open begins a stream; the test reads and closes it.
func open(ctx context.Context, t *testing.T, conn *Conn, path string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, conn.Server()+path, nil)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return conn.RoundTrip(req)
}

func read(t *testing.T, from io.Reader, n int) string {
	t.Helper()
	text := make([]byte, n)
	_, err := io.ReadFull(from, text)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(text)
}

func TestStreamsAreHandedOnWhileTheyCome(t *testing.T) {
	t.Parallel()
	for path, contentType := range map[string]string{watchPath: contentJSON, followPath: "text/plain"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			steps := make(chan string, 1)
			p := startPlane(t, stepwise(contentType, steps))
			policy := loopback()
			policy.RequestTimeout = 5 * time.Second
			conn := connect(t, p, policy)
			answer, err := open(t.Context(), t, conn, path)
			g.Expect(err).NotTo(HaveOccurred())
			steps <- "first"
			g.Expect(read(t, answer.Body, 5)).To(Equal("first"))
			steps <- "second"
			g.Expect(read(t, answer.Body, 6)).To(Equal("second"))
			g.Expect(p.lastRequest(t).Header.Get("Authorization")).To(Equal("Bearer " + canary))
			// As many as there are slots, and another request still has its turn.
			more, err := open(t.Context(), t, conn, path)
			g.Expect(err).NotTo(HaveOccurred())
			_, err = conn.Version(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(more.Body.Close()).To(Succeed())
			close(steps)
			g.Expect(io.ReadAll(answer.Body)).To(BeEmpty())
			g.Expect(answer.Body.Close()).To(Succeed())
		})
	}
}

// A request for what ends by itself is buffered, whatever its parameters say.
func TestOnlyStreamsAreStreams(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		watchPath: true, followPath: true,
		"/apis/batch/v1/namespaces/a/jobs?watch=1":       true,
		"/apis/batch/v1/namespaces/a/jobs?watch=false":   false,
		"/apis/batch/v1/namespaces/a/jobs":               false,
		"/apis/batch/v1/namespaces/a/jobs/j?watch=true":  false,
		"/api/v1/namespaces/a/pods/p/log":                false,
		"/api/v1/namespaces/a/pods/p/status?follow=true": false,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://h"+path, nil)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		parsed := parseRequest(&url.URL{Scheme: "https", Host: "h"}, req)
		g.Expect(parsed.stream).To(Equal(want), path)
	}
}

func TestStreamsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		policy func(*Policy)
		act    func(conn *Conn, cancel context.CancelFunc)
		want   Kind
	}{
		"when their time is over":    {func(p *Policy) { p.StreamTimeout = short }, func(*Conn, context.CancelFunc) {}, ConnectionTimedOut},
		"with the caller's context":  {func(*Policy) {}, func(_ *Conn, cancel context.CancelFunc) { cancel() }, Canceled},
		"with the connection":        {func(*Policy) {}, func(conn *Conn, _ context.CancelFunc) { conn.Close() }, ConnectionClosed},
		"when they become too large": {func(p *Policy) { p.MaxBody = 3 }, func(*Conn, context.CancelFunc) {}, ResponseTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			steps := make(chan string, 1)
			p := startPlane(t, stepwise(contentJSON, steps))
			policy := loopback()
			test.policy(&policy)
			conn := connect(t, p, policy)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answer, err := open(ctx, t, conn, watchPath)
			g.Expect(err).NotTo(HaveOccurred())
			steps <- gossip
			g.Expect(read(t, answer.Body, 3)).To(Equal(gossip[:3]))
			test.act(conn, cancel)
			_, err = io.Copy(io.Discard, answer.Body)
			expectFailure(t, err, test.want)
			_ = answer.Body.Close()
		})
	}
}

func TestAStreamThatDoesNotBegin(t *testing.T) {
	t.Parallel()
	const status = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"` + gossip + `"}`
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    Kind
	}{
		"a login page":   {fixed(200, "text/html", gossip), NotAKubernetesAPI},
		"a redirect":     {fixed(302, "text/html", gossip), Redirected},
		"a web server":   {fixed(404, "text/html", gossip), NotAKubernetesAPI},
		"no content":     {fixed(204, contentJSON, ""), NotAKubernetesAPI},
		"a log of words": {fixed(200, "text/plain", gossip), NotAKubernetesAPI},
		"silence":        {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, ConnectionTimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := loopback()
			if test.want == ConnectionTimedOut {
				policy.RequestTimeout = short
			}
			conn := connect(t, startPlane(t, test.handler), policy)
			_, err := open(t.Context(), t, conn, watchPath) //nolint:bodyclose // There is none.
			expectFailure(t, err, test.want)
		})
	}
	t.Run("a refusal", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		conn := connect(t, startPlane(t, fixed(403, contentJSON, status)), loopback())
		answer, err := open(t.Context(), t, conn, watchPath)
		g.Expect(err).NotTo(HaveOccurred())
		text, err := io.ReadAll(answer.Body)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(answer.Body.Close()).To(Succeed())
		g.Expect(answer.StatusCode).To(Equal(http.StatusForbidden))
		g.Expect(string(text)).NotTo(ContainSubstring(gossip))
		g.Expect(string(text)).To(ContainSubstring("Forbidden"))
	})
}

// What is waited for counts as a request until it begins.
func TestAStreamWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	release := make(chan struct{})
	p := startPlane(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.RawQuery, "watch") {
			<-release
		}
		answerText(w, http.StatusOK, contentJSON, goodVersion)
	})
	policy := loopback()
	policy.MaxInFlight, policy.RequestTimeout = 1, 2*time.Second
	conn := connect(t, p, policy)
	first := make(chan error, 1)
	go func() {
		_, err := conn.Version(t.Context())
		first <- err
	}()
	g.Eventually(p.served.Load).Should(Equal(int64(1)))
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	_, err := open(ctx, t, conn, watchPath) //nolint:bodyclose // There is none.
	g.Expect(errors.Is(err, context.DeadlineExceeded)).To(BeTrue(), "%v", err)
	g.Expect(p.served.Load()).To(Equal(int64(1)))
	close(release)
	g.Expect(<-first).To(Succeed())
	answer, err := open(t.Context(), t, conn, watchPath)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(answer.Body.Close()).To(Succeed())
}

func TestRESTReachesThePlaneAlone(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(http.StatusOK, contentJSON, goodNamespace))
	settings, sender := connect(t, p, loopback()).REST()
	g.Expect(settings.Host).NotTo(ContainSubstring("127.0.0.1"))
	g.Expect(settings.BearerToken).To(BeEmpty())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, settings.Host+"/api/v1/namespaces/kube-system", nil)
	g.Expect(err).NotTo(HaveOccurred())
	answer, err := sender.Do(req)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(answer.Body.Close()).To(Succeed())
	g.Expect(p.lastRequest(t).URL.Path).To(Equal("/api/v1/namespaces/kube-system"))
	g.Expect(p.lastRequest(t).Header.Get("Authorization")).To(Equal("Bearer " + canary))
}
