// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"io"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var _ = Describe("The log of a Pod that no node has", func() {
	// The API server answers so by itself, also to whoever would follow it.
	It("is empty", func(ctx SpecContext) {
		c := newClient()
		_, err := c.Create(ctx, k8s.Pods, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"waits"},"spec":{
			"nodeSelector":{"example.com/node":"none"},"containers":[{"name":"c","image":"busybox"}]}}`)
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Logs(ctx, "waits", k8s.LogOptions{})).To(BeEmpty())
		stream, err := c.StreamLogs(ctx, "waits", k8s.LogOptions{Follow: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(io.ReadAll(stream)).To(BeEmpty())
		Expect(stream.Close()).To(Succeed())
		pod, found, err := c.Get(ctx, k8s.Pods, "waits")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeTrue())
		Expect(pod.StringAt("/status/phase")).To(Equal("Pending"))
		Expect(pod.Has("/spec/nodeName")).To(BeFalse())
	})
})
