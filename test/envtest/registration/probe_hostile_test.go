// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// made answers the creation of a Job, and its deletion.
func made(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if req.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = fmt.Fprint(w, `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"probe-x","uid":"1"}}`)
}

// listed answers a list with one object of the kind.
func listed(w http.ResponseWriter, apiVersion, kind, status string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"kind":"%[2]sList","apiVersion":%[1]q,"metadata":{"resourceVersion":"1"},"items":[
		{"kind":%[2]q,"apiVersion":%[1]q,"metadata":{"name":"probe-x","uid":"1","resourceVersion":"1"},"status":%[3]s}]}`, apiVersion, kind, status)
}

const (
	job        = `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"probe-x","uid":"1","resourceVersion":"2"},"status":%s}`
	complete   = `{"conditions":[{"type":"Complete","status":"True"}]}`
	terminated = `{"phase":"Succeeded","containerStatuses":[{"state":{"terminated":{"exitCode":0,"reason":"\u001b[31m"}}}]}`
)

// completed is a watch by which the Job has ended.
func completed(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"type":"MODIFIED","object":`+job+`}`, complete)
}

// failing is a watch that tells everybody the credential.
func failing(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"message":%q}}`, req.Header.Get("Authorization")) //nolint:gosec // it is hostile
}

var _ = Describe("A plane that is hostile to a probe", func() {
	DescribeTable("", func(ctx SpecContext, watch, log http.HandlerFunc, status metav1.ConditionStatus, reason, message string) {
		b := newBench(ctx)
		var watches atomic.Int64
		file := b.relaying(func(w http.ResponseWriter, req *http.Request) bool {
			switch {
			case req.URL.Query().Get("watch") == "true":
				watches.Add(1)
				watch(w, req)
			case strings.Contains(req.URL.Path, "/jobs") && req.Method != http.MethodGet:
				made(w, req)
			case strings.HasSuffix(req.URL.Path, "/jobs"):
				listed(w, "batch/v1", "Job", "{}")
			case strings.HasSuffix(req.URL.Path, "/log"):
				log(w, req)
			case strings.HasSuffix(req.URL.Path, "/pods"):
				listed(w, "v1", "Pod", terminated)
			default:
				return false
			}
			return true
		})
		b.bootstrap("edge-1-kubeconfig", file)
		reg := b.registration("edge-1", func(reg *v1alpha1.ClusterRegistration) {
			reg.Spec.Probe = &v1alpha1.Probe{Namespace: "default", TimeoutSeconds: 10}
		})
		Expect(b.kube.Create(b.ctx, reg)).To(Succeed())
		b.removeAfter(reg)
		reg = b.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionProbed, status, reason)
		Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionProbed).Message).To(ContainSubstring(message))
		Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady).Status).To(Equal(metav1.ConditionTrue))
		// A second is between two of them.
		Expect(watches.Load()).To(BeNumerically("<=", 15))
	},
		Entry("by the token in its log", http.HandlerFunc(completed), http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = fmt.Fprintf(w, "\x1b[2J%s\n%s", req.Header.Get("Authorization"), strings.Repeat("x", 10))
		}), metav1.ConditionTrue, v1alpha1.ReasonSucceeded, "Bearer (redacted) xxxxxxxxxx"),
		Entry("by a log without an end", http.HandlerFunc(completed), http.HandlerFunc(endless),
			metav1.ConditionTrue, v1alpha1.ReasonSucceeded, "its log cannot be read: The server's answer is too large"),
		Entry("by a web page as its log", http.HandlerFunc(completed), answering(http.StatusOK, map[string]string{"Content-Type": "text/html"}, stubToken),
			metav1.ConditionTrue, v1alpha1.ReasonSucceeded, "its log cannot be read: The server does not answer as a Kubernetes API server"),
		Entry("by watches that end at once", answering(http.StatusOK, map[string]string{"Content-Type": "application/json"}, ""), http.NotFound,
			metav1.ConditionFalse, v1alpha1.ReasonProbeTimedOut, "did not end in `spec.probe.timeoutSeconds`"),
		Entry("by a watch of garbage without an end", http.HandlerFunc(endless), http.NotFound,
			metav1.ConditionFalse, v1alpha1.ReasonProbeTimedOut, "did not end in `spec.probe.timeoutSeconds`"),
		Entry("by events that tell the token", http.HandlerFunc(failing), http.NotFound,
			metav1.ConditionFalse, v1alpha1.ReasonProbeTimedOut, "did not end in `spec.probe.timeoutSeconds`"),
		Entry("by a refusal that tells the token", echoing(http.StatusForbidden), http.NotFound,
			metav1.ConditionFalse, v1alpha1.ReasonForbidden, "let the registered account manage Jobs"),
	)
})
