// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode_test

import (
	"bufio"
	"context"
	"io"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/internal/localnode"
)

const namespace = metav1.NamespaceDefault

func pod(container string, command ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "pod-"},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: container, Image: "any", Command: command}},
		},
	}
}

// create creates a Pod, and removes it after the spec.
func create(ctx context.Context, p *corev1.Pod) string {
	GinkgoHelper()
	made, err := kube.CoreV1().Pods(namespace).Create(ctx, p, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) { //nolint:contextcheck // the clean-up has a context of its own
		Expect(kube.CoreV1().Pods(namespace).Delete(ctx, made.Name, metav1.DeleteOptions{})).To(Succeed())
	})
	return made.Name
}

// of reads a Pod again and again.
func of(ctx context.Context, name string) func(Gomega) *corev1.Pod {
	return func(g Gomega) *corev1.Pod {
		p, err := kube.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		return p
	}
}

func phase(p corev1.PodPhase) OmegaMatcher { return HaveField("Status.Phase", p) }

var _ = Describe("A Pod on the simulated node", func() {
	It("is scheduled, and ends by its command", func(ctx SpecContext) {
		succeeds, fails := create(ctx, pod("c")), create(ctx, pod("c", "false"))
		Eventually(of(ctx, succeeds)).Should(phase(corev1.PodSucceeded))
		Expect(of(ctx, succeeds)(NewWithT(GinkgoTB())).Spec.NodeName).To(Equal(localnode.Name))
		Eventually(of(ctx, fails)).Should(phase(corev1.PodFailed))
		state := of(ctx, fails)(NewWithT(GinkgoTB())).Status.ContainerStatuses[0].State
		Expect(state.Terminated.ExitCode).To(Equal(int32(1)))
	})

	It("runs on if its command is sleep, or if it is restarted", func(ctx SpecContext) {
		always := pod("c")
		always.Spec.RestartPolicy = corev1.RestartPolicyAlways
		for _, name := range []string{create(ctx, pod("c", "sleep", "inf")), create(ctx, always)} {
			Eventually(of(ctx, name)).Should(phase(corev1.PodRunning))
			Consistently(of(ctx, name), "600ms").Should(phase(corev1.PodRunning))
		}
	})

	It("decides about its Job", func(ctx SpecContext) {
		for command, want := range map[string]batchv1.JobConditionType{"true": batchv1.JobComplete, "false": batchv1.JobFailed} {
			job := &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{GenerateName: "job-"},
				Spec: batchv1.JobSpec{
					BackoffLimit: new(int32), Template: corev1.PodTemplateSpec{Spec: pod("c", command).Spec},
				},
			}
			made, err := kube.BatchV1().Jobs(namespace).Create(ctx, job, metav1.CreateOptions{})
			Expect(err).NotTo(HaveOccurred())
			Eventually(func(g Gomega) {
				live, err := kube.BatchV1().Jobs(namespace).Get(ctx, made.Name, metav1.GetOptions{})
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(live.Status.Conditions).To(ContainElement(And(
					HaveField("Type", want), HaveField("Status", corev1.ConditionTrue))))
			}).Should(Succeed())
			background := metav1.DeletePropagationBackground
			Expect(kube.BatchV1().Jobs(namespace).Delete(ctx, made.Name, metav1.DeleteOptions{PropagationPolicy: &background})).To(Succeed())
		}
	})

	It("has a log", func(ctx SpecContext) {
		name := create(ctx, pod("talker"))
		Eventually(of(ctx, name)).Should(phase(corev1.PodSucceeded))
		log := func(o *corev1.PodLogOptions) string {
			text, err := kube.CoreV1().Pods(namespace).GetLogs(name, o).DoRaw(ctx)
			Expect(err).NotTo(HaveOccurred())
			return string(text)
		}
		Expect(log(&corev1.PodLogOptions{})).To(HavePrefix("one\ntwo\nthree\n"))
		Expect(log(&corev1.PodLogOptions{Container: "talker", LimitBytes: new(int64(5))})).To(Equal("one\nt"))
		quiet := create(ctx, pod("quiet"))
		Eventually(of(ctx, quiet)).Should(phase(corev1.PodSucceeded))
		text, err := kube.CoreV1().Pods(namespace).GetLogs(quiet, &corev1.PodLogOptions{}).DoRaw(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(BeEmpty())
	})

	It("is followed", func(ctx SpecContext) {
		name := create(ctx, pod("talker", "sleep", "inf"))
		Eventually(of(ctx, name)).Should(phase(corev1.PodRunning))
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := kube.CoreV1().Pods(namespace).GetLogs(name, &corev1.PodLogOptions{Follow: true, TailLines: new(int64(1))}).Stream(within)
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = stream.Close() }()
		lines := bufio.NewReader(stream)
		_, err = lines.ReadString('\n')
		Expect(err).NotTo(HaveOccurred())
		Expect(node.Log("talker", "later")).To(Succeed())
		Expect(lines.ReadString('\n')).To(Equal("later\n"))
		cancel()
		_, err = io.ReadAll(lines)
		Expect(err).To(MatchError(context.Canceled))
	})
})
