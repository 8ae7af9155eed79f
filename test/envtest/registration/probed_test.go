// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localnode"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

var _ = Describe("A probe on a node", Ordered, func() {
	BeforeAll(func(ctx SpecContext) {
		node, err := localnode.Start(ctx, infra, localnode.Options{
			Assets: localargo.Assets("../../.."), Scheduler: true,
			Logs: map[string][]string{"probe": {"Looking.", "All is \x1b[32mwell\x1b[0m."}},
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(node.Stop()).To(Succeed()) })
	})

	probed := func(reg *v1alpha1.ClusterRegistration) *metav1.Condition {
		return conditions.Find(reg.Status.Conditions, v1alpha1.ConditionProbed)
	}

	It("is told as Probed, is run once, and leaves nothing", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		reg := h.register("edge-1", with())
		key := client.ObjectKeyFromObject(reg)
		reg = h.settle(key, v1alpha1.ConditionProbed, metav1.ConditionTrue, v1alpha1.ReasonSucceeded)
		Expect(probed(reg).Message).To(Equal("its log ends: Looking. All is ?[32mwell?[0m."))
		h.noJobs(tenant)

		// Neither a check nor a restart runs it again, nor writes anything.
		version := reg.ResourceVersion
		for range 3 {
			h.must(key)
		}
		h.restart()
		h.must(key)
		h.must(key)
		Expect(h.kube.Get(h.ctx, key, reg)).To(Succeed())
		Expect(reg.ResourceVersion).To(Equal(version))
		Expect(h.jobs(NewWithT(GinkgoTB()), tenant)).To(BeEmpty())

		// What it does not depend on does not either, and keeps its outcome.
		first := reg.Status.Probe
		h.change(key, func(reg *v1alpha1.ClusterRegistration) {
			reg.Spec.ClusterLabels = map[string]v1alpha1.LabelValue{"region": "north"}
		})
		h.must(key)
		Expect(h.kube.Get(h.ctx, key, reg)).To(Succeed())
		Expect(reg.Status.ObservedGeneration).To(Equal(reg.Generation))
		Expect(reg.Status.Probe).To(Equal(first))
		Expect(probed(reg).Reason).To(Equal(v1alpha1.ReasonSucceeded))

		// What it does depend on does.
		h.change(key, func(reg *v1alpha1.ClusterRegistration) { reg.Spec.Probe.Command = []string{"false"} })
		reg = h.settle(key, v1alpha1.ConditionProbed, metav1.ConditionFalse, v1alpha1.ReasonProbeFailed)
		Expect(probed(reg).Message).To(HavePrefix("The probe's Job failed: exit code 1 (Error); its log ends: Looking."))
		Expect(reg.Status.Probe.Inputs).NotTo(Equal(first.Inputs))
		Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady).Status).To(Equal(metav1.ConditionTrue))
		h.noJobs(tenant)
	})
})
