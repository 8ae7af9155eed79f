// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// talking is a Pod with the containers c, two and followed.
func talking(name, command string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"restartPolicy":"Never","containers":[
		{"name":"c","image":"busybox","command":[%[2]q]},{"name":"two","image":"busybox","command":[%[2]q]},
		{"name":"followed","image":"busybox","command":[%[2]q]}]}}`, name, command)
}

// run creates a Pod and waits for its phase and its log.
func run(ctx context.Context, c *k8s.Client, name, command, phase string) {
	GinkgoHelper()
	_, err := c.Create(ctx, k8s.Pods, talking(name, command))
	Expect(err).NotTo(HaveOccurred())
	Eventually(func(g Gomega) {
		pod, _, err := c.Get(ctx, k8s.Pods, name)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(pod.StringAt("/status/phase")).To(Equal(phase))
		// The simulated node may just be starting anew.
		_, err = c.Logs(ctx, name, k8s.LogOptions{Container: "c"})
		g.Expect(err).NotTo(HaveOccurred())
	}).Should(Succeed())
}

var _ = Describe("A Pod's log", func() {
	It("is read whole, from its end, and of one container", func(ctx SpecContext) {
		c := newClient()
		run(ctx, c, "talks", "true", "Succeeded")
		Expect(c.Logs(ctx, "talks", k8s.LogOptions{Container: "two"})).To(Equal("other\n"))
		Expect(node.Log("c", "more")).To(Succeed())
		whole, err := c.Logs(ctx, "talks", k8s.LogOptions{Container: "c"})
		Expect(err).NotTo(HaveOccurred())
		Expect(whole).To(And(HavePrefix("hi\n"), ContainSubstring("more\n")))
		Expect(node.Log("c", "last")).To(Succeed())
		Expect(c.Logs(ctx, "talks", k8s.LogOptions{Container: "c", Tail: 1})).To(Equal("last\n"))
		Expect(c.Logs(ctx, "talks", k8s.LogOptions{Container: "c", Limit: 2})).To(Equal("hi"))
	})

	It("is followed while it is written, until the context ends", func(ctx SpecContext) {
		c := newClient()
		run(ctx, c, "talks", "sleep", "Running")
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := c.StreamLogs(within, "talks", k8s.LogOptions{Container: "followed", Follow: true})
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = stream.Close() }()
		lines := bufio.NewReader(stream)
		Expect(lines.ReadString('\n')).To(Equal("begins\n"))
		Expect(node.Log("followed", "later")).To(Succeed())
		Expect(lines.ReadString('\n')).To(Equal("later\n"))
		cancel()
		_, err = io.ReadAll(lines)
		Expect(err).To(MatchError(context.Canceled))
	})

	It("is empty if there is no such Pod", func(ctx SpecContext) {
		c := newClient()
		Expect(c.Logs(ctx, "nobody", k8s.LogOptions{})).To(BeEmpty())
		stream, err := c.StreamLogs(ctx, "nobody", k8s.LogOptions{Follow: true})
		Expect(err).NotTo(HaveOccurred())
		Expect(io.ReadAll(stream)).To(BeEmpty())
		Expect(stream.Close()).To(Succeed())
	})

	It("is refused where the API cannot tell of which container, with its words", func(ctx SpecContext) {
		c := newClient()
		run(ctx, c, "talks", "true", "Succeeded")
		path := "/api/v1/namespaces/" + c.Namespace() + "/pods/talks/log"
		_, err := c.Logs(ctx, "talks", k8s.LogOptions{})
		Expect(err).To(MatchError(HavePrefix("k8s: GET " + path + ": 400 BadRequest: a container name must be specified")))
		_, err = c.Logs(ctx, "talks", k8s.LogOptions{Container: "three"})
		Expect(err).To(MatchError("k8s: GET " + path + ": 400 BadRequest: container three is not valid for pod talks"))
		var refused *k8s.Error
		Expect(errors.As(err, &refused)).To(BeTrue())
		Expect(refused.Code).To(Equal(400))
	})
})
