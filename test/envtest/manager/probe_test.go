// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

func probing(probe v1alpha1.Probe) func(*v1alpha1.ClusterRegistration) {
	return func(reg *v1alpha1.ClusterRegistration) { reg.Spec.Probe = &probe }
}

var _ = Describe("A probe", func() {
	It("is reported as soon as it ends", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback, "--controllers=registration", "--ready-without-plane")
		reg := ready(ctx, control, registration(ctx, control, namespace, "edge-1",
			account("probed"), retained, probing(v1alpha1.Probe{Namespace: namespace + "-other"})))
		// The manager would look by itself once a minute, which is longer than this waits.
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(control.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
			g.Expect(conditions(reg)).To(HaveKeyWithValue(v1alpha1.ConditionProbed, HavePrefix("False ReferenceNotFound")))
		}).WithContext(ctx).Should(Succeed())
		unregister(ctx, control, reg)
	})

	It("is removed when the manager stops", func(ctx SpecContext) {
		namespace, theirs := testenv.Namespace(GinkgoTB(), control), testenv.Namespace(GinkgoTB(), infra)
		p := start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback, "--controllers=registration",
			"--ready-without-plane", "--probe-image=mirror.example/busybox:1")
		reg := ready(ctx, control, registration(ctx, control, namespace, "edge-1",
			account("stopped"), retained, probing(v1alpha1.Probe{Namespace: theirs, TimeoutSeconds: 3600})))
		jobs := func(g Gomega, ctx context.Context) []batchv1.Job {
			var list batchv1.JobList
			g.Expect(infra.List(ctx, &list, client.InNamespace(theirs), client.HasLabels{ccluster.ProbeLabel})).To(Succeed())
			return list.Items
		}
		Eventually(jobs).WithContext(ctx).Should(HaveLen(1))
		Expect(jobs(NewWithT(GinkgoTB()), ctx)[0].Spec.Template.Spec.Containers[0].Image).To(Equal("mirror.example/busybox:1"))
		p.stop(ctx)
		Eventually(jobs).WithContext(ctx).Should(BeEmpty())

		start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback, "--controllers=registration", "--ready-without-plane")
		Eventually(jobs).WithContext(ctx).Should(HaveLen(1), "the next one begins anew")
		unregister(ctx, control, reg)
		Eventually(jobs).WithContext(ctx).Should(BeEmpty())
	})
})
