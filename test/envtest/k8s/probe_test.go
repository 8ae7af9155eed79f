// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// sent keeps the Job that a probe creates.
func sent(job *atomic.Pointer[batchv1.Job]) func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
	return func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/jobs") {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			var made batchv1.Job
			if err := json.NewDecoder(body).Decode(&made); err != nil {
				return nil, err
			}
			job.Store(&made)
		}
		return next.RoundTrip(req)
	}
}

// nothingLeft waits until neither Job nor Pod is there.
func nothingLeft(ctx context.Context, c *k8s.Client) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		for _, r := range []k8s.Resource{k8s.Jobs, k8s.Pods} {
			listed, err := c.List(ctx, r, "")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(listed.Items).To(BeEmpty())
		}
	}).Should(Succeed())
}

var _ = Describe("A probe", func() {
	It("succeeds, brings the end of its log, and is removed", func(ctx SpecContext) {
		var job atomic.Pointer[batchv1.Job]
		c := newClient(through(sent(&job)))
		enforce(ctx, c.Namespace())
		result, err := ccluster.Probe(ctx, c, ccluster.ProbeOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(result).To(Equal(ccluster.ProbeResult{Outcome: ccluster.ProbeSucceeded, Log: "The first line.\nThe last line.\n"}))
		nothingLeft(ctx, c)

		made := job.Load()
		Expect(made.Labels).To(HaveKeyWithValue(ccluster.ProbeLabel, "probe"))
		spec := made.Spec.Template.Spec
		Expect(*spec.AutomountServiceAccountToken).To(BeFalse())
		Expect(spec.Containers[0].Image).To(Equal("busybox:1.37"))
		Expect(spec.Containers[0].Command).To(Equal([]string{"echo", "The probe has run."}))
		Expect(*made.Spec.ActiveDeadlineSeconds).To(Equal(int64(180)))
		Expect(*made.Spec.TTLSecondsAfterFinished).To(Equal(int32(300)))
	})

	It("fails with its command", func(ctx SpecContext) {
		var job atomic.Pointer[batchv1.Job]
		c := newClient(through(sent(&job)))
		result, err := ccluster.Probe(ctx, c, ccluster.ProbeOptions{ID: "a", Image: "own", Command: []string{"false"}, PullSecret: "pull"})
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Outcome).To(Equal(ccluster.ProbeFailed))
		Expect(result.Detail).To(Equal("exit code 1 (Error)"))
		Expect(result.Log).To(HaveSuffix("The last line.\n"))
		nothingLeft(ctx, c)
		spec := job.Load().Spec.Template.Spec
		Expect(spec.ImagePullSecrets).To(Equal([]corev1.LocalObjectReference{{Name: "pull"}}))
		Expect(spec.Containers[0].Image).To(Equal("own"))
	})

	It("times out where nothing ends", func(ctx SpecContext) {
		c := newClient()
		result, err := ccluster.Probe(ctx, c, ccluster.ProbeOptions{Command: []string{"sleep"}, Timeout: 3 * time.Second})
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Outcome).To(Equal(ccluster.ProbeTimedOut))
		Expect(result.Detail).To(Equal("the container is still running"))
		Expect(result.Log).NotTo(BeEmpty())
		nothingLeft(ctx, c)
	})

	It("is removed when its context ends", func(ctx SpecContext) {
		c := newClient()
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := ccluster.Probe(within, c, ccluster.ProbeOptions{Command: []string{"sleep"}})
			ended <- err
		}()
		Eventually(func(g Gomega) {
			pods, err := c.List(ctx, k8s.Pods, ccluster.ProbeLabel)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(pods.Items).To(HaveLen(1))
		}).Should(Succeed())
		cancel()
		Eventually(ended).Should(Receive(MatchError(context.Canceled)))
		nothingLeft(ctx, c)
	})

	It("is removed when the answer to its creation was lost", func(ctx SpecContext) {
		c := newClient(through(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(req)
			if req.Method == http.MethodPost && err == nil {
				_ = answer.Body.Close()
				return nil, http.ErrHandlerTimeout
			}
			return answer, err
		}))
		_, err := ccluster.Probe(ctx, c, ccluster.ProbeOptions{})
		Expect(err).To(MatchError(ContainSubstring("create the probe: k8s: POST ")))
		nothingLeft(ctx, c)
	})

	It("ends an earlier one of its ID, and no other", func(ctx SpecContext) {
		c := newClient()
		begin := func(id string) chan ccluster.ProbeResult {
			ended := make(chan ccluster.ProbeResult, 1)
			go func() {
				defer GinkgoRecover()
				result, err := ccluster.Probe(ctx, c, ccluster.ProbeOptions{ID: id, Command: []string{"sleep"}, Timeout: 10 * time.Second})
				Expect(err).NotTo(HaveOccurred())
				ended <- result
			}()
			Eventually(func(g Gomega) {
				jobs, err := c.List(ctx, k8s.Jobs, ccluster.ProbeLabel+"="+id)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(jobs.Items).To(HaveLen(1))
			}).Should(Succeed())
			return ended
		}
		first, other := begin("a"), begin("b")
		result, err := ccluster.Probe(ctx, c, ccluster.ProbeOptions{ID: "a"})
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Outcome).To(Equal(ccluster.ProbeSucceeded))
		Eventually(first).Should(Receive(HaveField("Outcome", ccluster.ProbeFailed)))
		Eventually(other).Should(Receive(HaveField("Outcome", ccluster.ProbeTimedOut)))
		nothingLeft(ctx, c)
	})

	It("is refused with the API's words", func(ctx SpecContext) {
		c := newClient()
		_, err := ccluster.Probe(ctx, c.In(c.Namespace()+"-other"), ccluster.ProbeOptions{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
		_, err = ccluster.Probe(ctx, newClient(impersonate), ccluster.ProbeOptions{})
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		_, err = ccluster.Probe(ctx, c, ccluster.ProbeOptions{ID: "a b"})
		Expect(err).To(MatchError(HavePrefix(`ProbeOptions.ID "a b": `)))
		_, err = ccluster.Probe(ctx, c, ccluster.ProbeOptions{Timeout: -1})
		Expect(err).To(MatchError("ProbeOptions.Timeout must not be negative"))
	})
})

// enforce refuses Pods that do not meet the restricted Pod Security Standard.
func enforce(ctx context.Context, namespace string) {
	GinkgoHelper()
	ns := &corev1.Namespace{}
	Expect(admin.Get(ctx, client.ObjectKey{Name: namespace}, ns)).To(Succeed())
	before := client.MergeFrom(ns.DeepCopy())
	ns.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	Expect(admin.Patch(ctx, ns, before)).To(Succeed())
}
