// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode_test

import (
	"bufio"
	"context"
	"io"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

var _ = Describe("A log on the simulated node", func() {
	It("is that of the container, whole or in part", func(ctx SpecContext) {
		p := pod("talker")
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "quiet", Image: "any"})
		made := reach(ctx, kube, create(ctx, kube, p), corev1.PodSucceeded)
		log := func(o corev1.PodLogOptions) string {
			GinkgoHelper()
			text, err := kube.CoreV1().Pods(namespace).GetLogs(made.Name, &o).DoRaw(ctx)
			Expect(err).NotTo(HaveOccurred())
			return string(text)
		}
		Expect(log(corev1.PodLogOptions{Container: "talker"})).To(Equal("one\ntwo\nthree\n"))
		Expect(log(corev1.PodLogOptions{Container: "talker", TailLines: new(int64(2))})).To(Equal("two\nthree\n"))
		Expect(log(corev1.PodLogOptions{Container: "talker", LimitBytes: new(int64(5))})).To(Equal("one\nt"))
		Expect(log(corev1.PodLogOptions{Container: "talker", Timestamps: true})).To(
			MatchRegexp(`^\d{4}-\d\d-\d\dT\S+Z one\n\S+Z two\n\S+Z three\n$`))
		Expect(log(corev1.PodLogOptions{Container: "quiet"})).To(BeEmpty())
		_, err := kube.CoreV1().Pods(namespace).GetLogs(made.Name, &corev1.PodLogOptions{}).DoRaw(ctx)
		Expect(err).To(Satisfy(apierrors.IsBadRequest), "two containers, and none is named")
	})

	It("needs no container's name if there is one container", func(ctx SpecContext) {
		made := reach(ctx, kube, create(ctx, kube, pod("talker")), corev1.PodSucceeded)
		text, err := kube.CoreV1().Pods(namespace).GetLogs(made.Name, &corev1.PodLogOptions{}).DoRaw(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(Equal("one\ntwo\nthree\n"))
	})

	It("is followed until the reader has enough", func(ctx SpecContext) {
		made := reach(ctx, kube, create(ctx, kube, pod("followed", "sleep", "inf")), corev1.PodRunning)
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := kube.CoreV1().Pods(namespace).GetLogs(made.Name, &corev1.PodLogOptions{Follow: true}).Stream(within)
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = stream.Close() }()
		lines := bufio.NewReader(stream)
		Expect(lines.ReadString('\n')).To(Equal("first\n"))
		Expect(node.Log("followed", "later")).To(Succeed())
		Expect(lines.ReadString('\n')).To(Equal("later\n"))
		cancel()
		_, err = io.ReadAll(lines)
		Expect(err).To(MatchError(context.Canceled))
	})
})
