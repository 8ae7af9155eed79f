// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

const forbidden = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"it is forbidden","reason":"Forbidden","code":403}`

// calls are all of them, each with the request that it must name in its error.
func calls(t *testing.T, c *k8s.Client) map[string]func() error {
	t.Helper()
	ctx := t.Context()
	widgets := k8s.Resource{Prefix: "/apis/example.com/v1beta1", Plural: "widgets"}
	return map[string]func() error{
		"GET /api/v1/namespaces/x/pods/y": func() error {
			_, _, err := c.Get(ctx, k8s.Pods, "y")
			return err
		},
		"POST /apis/batch/v1/namespaces/x/jobs": func() error {
			_, err := c.Create(ctx, k8s.Jobs, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: y}\n")
			return err
		},
		"GET /apis/example.com/v1beta1/namespaces/other/widgets": func() error {
			_, err := c.In("other").List(ctx, widgets, "app=x")
			return err
		},
		"DELETE /api/v1/namespaces/x/services/y": func() error {
			_, err := c.Delete(ctx, k8s.Services, "y", k8s.DeleteOptions{})
			return err
		},
		"GET /apis/batch/v1/namespaces/x/jobs": func() error {
			_, err := c.DeleteAll(ctx, k8s.Jobs, "app=x")
			return err
		},
		"GET /api/v1/namespaces/x/services": func() error {
			var last error
			for _, err := range c.Watch(ctx, k8s.Services, k8s.WatchOptions{}) {
				last = err
			}
			return last
		},
		"GET /apis/example.com/v1beta1/namespaces/x/widgets": func() error {
			var last error
			for _, err := range c.Watch(ctx, widgets, k8s.WatchOptions{ResourceVersion: "7"}) {
				last = err
			}
			return last
		},
		"GET /api/v1/namespaces/x/pods/y/log": func() error {
			_, err := c.Logs(ctx, "y", k8s.LogOptions{Tail: 1})
			return err
		},
	}
}

func TestEveryCallNamesItsRequest(t *testing.T) {
	c := clientOf(t, &rest.Config{Host: server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(forbidden))
	})})
	for request, call := range calls(t, c) {
		t.Run(request, func(t *testing.T) {
			g := NewWithT(t)
			err := call()
			g.Expect(err).To(MatchError("k8s: " + request + ": 403 Forbidden: it is forbidden"))
			g.Expect(err).To(And(HaveField("Code", 403), HaveField("Reason", metav1.StatusReasonForbidden), HaveField("Message", "it is forbidden")))
			g.Expect(apierrors.IsForbidden(err)).To(BeTrue())
			g.Expect(apierrors.IsNotFound(err)).To(BeFalse())
			g.Expect(err).NotTo(MatchError(k8s.ErrExpired))
		})
	}
}

// DeleteAll stops at the first object that it may not delete, and tells how many it has deleted.
func TestDeletingAllStopsAtARefusal(t *testing.T) {
	g := NewWithT(t)
	var asked []string
	c := clientOf(t, &rest.Config{Host: server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet:
			_, _ = w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[
				{"metadata":{"name":"a","uid":"1"}},{"metadata":{"name":"b","uid":"2"}},{"metadata":{"name":"c","uid":"3"}}]}`))
			return
		case r.URL.Path == "/api/v1/namespaces/x/pods/b":
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(forbidden))
		default:
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
		}
		asked = append(asked, r.URL.Path)
	})})
	deleted, err := c.DeleteAll(t.Context(), k8s.Pods, "app=x")
	g.Expect(err).To(MatchError("k8s: DELETE /api/v1/namespaces/x/pods/b: 403 Forbidden: it is forbidden"))
	g.Expect(deleted).To(Equal(1))
	g.Expect(asked).To(Equal([]string{"/api/v1/namespaces/x/pods/a", "/api/v1/namespaces/x/pods/b"}))
}
