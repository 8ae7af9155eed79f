// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

var _ = Describe("the audit log", func() {
	It("counts exactly the requests a client made", func(ctx SpecContext) {
		const agent = "audit-test/1"
		ns := namespace()
		cfg, err := full.AddUser("auditor", "system:masters")
		Expect(err).NotTo(HaveOccurred())
		cfg.UserAgent = agent
		maps := clientset(cfg).CoreV1().ConfigMaps(ns)

		_, err = maps.Get(ctx, "before", metav1.GetOptions{})
		Expect(err).To(Satisfy(apierrors.IsNotFound))
		since, err := full.AuditPosition()
		Expect(err).NotTo(HaveOccurred())

		_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		for range 2 {
			_, err = maps.Get(ctx, "a", metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
		_, err = maps.Get(ctx, "missing", metav1.GetOptions{})
		Expect(err).To(Satisfy(apierrors.IsNotFound))
		watch, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: "0"})
		Expect(err).NotTo(HaveOccurred())

		type call struct {
			verb, name string
			code       int
			complete   bool
		}
		calls := func(since int64) []call {
			GinkgoHelper()
			events, err := full.Audit(localplane.AuditFilter{Since: since, UserAgent: agent})
			Expect(err).NotTo(HaveOccurred())
			var calls []call
			for _, e := range events {
				Expect(e.User).To(Equal("auditor"))
				Expect(e.Namespace).To(Equal(ns))
				Expect(e.Resource).To(Equal("configmaps"))
				calls = append(calls, call{e.Verb, e.Name, e.Code, e.Complete})
			}
			return calls
		}
		after := []call{{"create", "a", 201, true}, {"get", "a", 200, true}, {"get", "a", 200, true}, {"get", "missing", 404, true}}
		Expect(calls(since)).To(Equal(append(after, call{"watch", "", 200, false})))
		Expect(calls(0)).To(HaveLen(6))

		late, err := full.AuditPosition()
		Expect(err).NotTo(HaveOccurred())
		watch.Stop()
		Eventually(func() []call { return calls(since) }).Should(Equal(append(after, call{"watch", "", 200, true})))
		Expect(calls(late)).To(BeEmpty(), "the end of a watch is no request")
	})
})
