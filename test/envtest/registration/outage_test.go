// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

var _ = Describe("An outage of the plane", func() {
	It("changes only Reachable and Ready, and is over when it is over", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		before := reg.DeepCopy()
		content := b.controlContent(reg)
		Expect(infra.StopAPIServer()).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(infra.StartAPIServer(ctx)).To(Succeed()) })
		Expect(b.pass(reg).RequeueAfter).To(Equal(time.Second))
		b.expectOnly(reg, before, v1alpha1.ConditionReachable, v1alpha1.ReasonConnectionFailed)
		Expect(b.events()).To(ConsistOf(
			HavePrefix("Warning ConnectionFailed Reachable is False: "+infra.Server()+": The server refused the connection: "),
			HavePrefix("Warning ConnectionFailed Ready is False: Reachable: "),
		))
		Expect(b.controlContent(reg)).To(Equal(content))
		b.onInfra.take()
		b.onControl.take()

		By("asking less and less often, and saying nothing new")
		var waits []time.Duration
		for range 7 {
			b.advance(time.Hour)
			waits = append(waits, b.pass(reg).RequeueAfter)
		}
		Expect(waits).To(Equal([]time.Duration{
			3 * time.Second, 9 * time.Second, 27 * time.Second, 81 * time.Second, 243 * time.Second, 8 * time.Minute, 8 * time.Minute,
		}))
		Expect(b.onInfra.take()).To(HaveLen(7))
		Expect(b.onControl.take()).To(BeEmpty())
		Expect(b.events()).To(BeEmpty())

		By("being Ready again after one answer")
		Expect(infra.StartAPIServer(ctx)).To(Succeed())
		b.advance(time.Hour)
		Expect(b.pass(reg).RequeueAfter).To(Equal(b.checkPeriod()))
		Expect(b.onInfra.take()).To(Equal([]string{"create selfsubjectaccessreviews"}))
		for i, c := range before.Status.Conditions {
			Expect([]string{string(reg.Status.Conditions[i].Status), reg.Status.Conditions[i].Reason, reg.Status.Conditions[i].Message}).
				To(Equal([]string{string(c.Status), c.Reason, c.Message}), c.Type)
		}
		Expect(b.events()).To(ConsistOf("Normal Connected Reachable is True", "Normal Ready Ready is True"))
	})

	It("is not made worse by a restart", func(ctx SpecContext) {
		b := newBench(ctx)
		front := b.through()
		reg := b.bringUp("edge")
		before := reg.DeepCopy()
		front.Drop()
		b.restart()
		b.pass(reg)
		c := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReachable)
		b.expectOnly(reg, before, v1alpha1.ConditionReachable, c.Reason)
		front.Resume()
		b.ready(client.ObjectKeyFromObject(reg))
	})
})

var _ = Describe("A bootstrap Secret that was missing", func() {
	It("is found at once if it is labelled", func(ctx SpecContext) {
		b := newBench(ctx)
		startManager(ctx, registration.Options{ControlPlaneID: b.options.ControlPlaneID, ReadyWithoutPlane: true})
		b.through()
		reg := b.registration("edge")
		Expect(b.kube.Create(ctx, reg)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			b.ctx = ctx
			edit(ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { r.Spec.DeletionPolicy = v1alpha1.DeletionRetain })
			Expect(b.kube.Delete(ctx, reg)).To(Succeed())
			Eventually(func() error { return b.kube.Get(ctx, client.ObjectKeyFromObject(reg), reg) }).ShouldNot(Succeed())
		})
		Eventually(func(g Gomega) {
			b.refresh(reg)
			c := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionBootstrapAccepted)
			g.Expect(c).NotTo(BeNil())
			g.Expect(c.Reason).To(Equal(v1alpha1.ReasonReferenceNotFound))
		}).Should(Succeed())
		// The next look at what is not labelled is a minute away, which is longer than this waits.
		Expect(b.kube.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: reg.Namespace, Name: "edge-kubeconfig", Labels: map[string]string{v1alpha1.BootstrapLabel: ""},
			},
			Data: map[string][]byte{"kubeconfig": b.kubeconfig},
		})).To(Succeed())
		Eventually(func(g Gomega) {
			b.refresh(reg)
			g.Expect(isReady(reg)).To(BeTrue())
		}).Should(Succeed())
	})
})
