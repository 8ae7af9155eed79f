// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode_test

import (
	"context"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

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
func create(ctx context.Context, on kubernetes.Interface, p *corev1.Pod) *corev1.Pod {
	GinkgoHelper()
	made, err := on.CoreV1().Pods(namespace).Create(ctx, p, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func(ctx SpecContext) { //nolint:contextcheck // the clean-up has a context of its own
		// Nothing else ends a Pod whose node has been stopped.
		Expect(on.CoreV1().Pods(namespace).Delete(ctx, made.Name, *metav1.NewDeleteOptions(0))).To(Succeed())
	})
	return made
}

// of reads a Pod again and again.
func of(ctx context.Context, on kubernetes.Interface, made *corev1.Pod) func(Gomega) *corev1.Pod {
	return func(g Gomega) *corev1.Pod {
		p, err := on.CoreV1().Pods(namespace).Get(ctx, made.Name, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		return p
	}
}

func phase(p corev1.PodPhase) OmegaMatcher { return HaveField("Status.Phase", p) }

// reach waits until a Pod is in a phase, and returns it.
func reach(ctx context.Context, on kubernetes.Interface, made *corev1.Pod, as corev1.PodPhase) *corev1.Pod {
	GinkgoHelper()
	var last *corev1.Pod
	Eventually(func(g Gomega) *corev1.Pod {
		last = of(ctx, on, made)(g)
		return last
	}).Should(phase(as))
	return last
}

var _ = Describe("A Pod on the simulated node", func() {
	It("is scheduled, and ends by its command", func(ctx SpecContext) {
		succeeds, fails := create(ctx, kube, pod("c")), create(ctx, kube, pod("c", "false"))
		Expect(succeeds.Spec.NodeName).To(BeEmpty())
		p := reach(ctx, kube, succeeds, corev1.PodSucceeded)
		Expect(p.Spec.NodeName).To(Equal(localnode.Name))
		Expect(p.Status.ContainerStatuses).To(HaveLen(1))
		Expect(p.Status.ContainerStatuses[0].State.Terminated).To(And(
			HaveField("ExitCode", int32(0)), HaveField("Reason", "Completed")))
		p = reach(ctx, kube, fails, corev1.PodFailed)
		Expect(p.Status.ContainerStatuses).To(HaveLen(1))
		Expect(p.Status.ContainerStatuses[0].State.Terminated).To(And(
			HaveField("ExitCode", int32(1)), HaveField("Reason", "Error")))
	})

	It("is seen to run before it ends", func(ctx SpecContext) {
		made := create(ctx, kube, pod("c"))
		changes, err := kube.CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{
			ResourceVersion: made.ResourceVersion, FieldSelector: fields.OneTermEqualSelector("metadata.name", made.Name).String(),
		})
		Expect(err).NotTo(HaveOccurred())
		defer changes.Stop()
		phases := []corev1.PodPhase{made.Status.Phase}
		for phases[len(phases)-1] != corev1.PodSucceeded {
			var change watch.Event
			Eventually(ctx, changes.ResultChan()).Should(Receive(&change))
			p, ok := change.Object.(*corev1.Pod)
			Expect(ok).To(BeTrue(), "%v", change)
			phases = append(phases, p.Status.Phase)
		}
		phases = slices.Compact(phases)
		Expect(phases).To(Equal([]corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded}))
	})

	It("runs on if its command is sleep, or if it is restarted", func(ctx SpecContext) {
		always, onFailure := pod("c"), pod("c", "false")
		always.Spec.RestartPolicy = corev1.RestartPolicyAlways
		onFailure.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		for _, p := range []*corev1.Pod{pod("c", "sleep", "inf"), always, onFailure} {
			made := create(ctx, kube, p)
			reach(ctx, kube, made, corev1.PodRunning)
			Consistently(of(ctx, kube, made), "600ms").Should(phase(corev1.PodRunning))
		}
	})

	It("ends if it is restarted on failure only, and has none", func(ctx SpecContext) {
		p := pod("c")
		p.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		reach(ctx, kube, create(ctx, kube, p), corev1.PodSucceeded)
	})
})
