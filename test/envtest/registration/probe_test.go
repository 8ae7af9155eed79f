// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

var _ = Describe("A probe that cannot run", func() {
	It("tells of a namespace that does not exist, and the registration is Ready", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		reg := h.register("edge-1", with(func(p *v1alpha1.Probe) { p.Namespace = tenant + "-other" }))
		reg = h.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionProbed, metav1.ConditionFalse, v1alpha1.ReasonReferenceNotFound)
		Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionProbed).Message).To(Equal(
			"The object or its namespace does not exist (HTTP 404): create Namespace `spec.probe.namespace` on the infra plane, or name another"))
		Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady).Status).To(Equal(metav1.ConditionTrue))
		Expect(reg.Status.Probe.Inputs).To(HaveLen(16))
	})

	It("tells of rights that the account lacks", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		reg := h.register("edge-1", with(), func(reg *v1alpha1.ClusterRegistration) {
			reg.Spec.ServiceAccount.Namespace = tenant
			reg.Spec.Access = &v1alpha1.Access{
				Binding: v1alpha1.BindingRoleBindings, ClusterRoleName: "view", Namespaces: []string{tenant},
			}
		})
		reg = h.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionProbed, metav1.ConditionFalse, v1alpha1.ReasonForbidden)
		Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionProbed).Message).To(ContainSubstring("manage Jobs"))
	})

	It("tells of a quota, and runs again when there is room", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		quota := &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: "none"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")}},
		}
		Expect(h.plane.Create(h.ctx, quota)).To(Succeed())
		reg := h.register("edge-1", with())
		reg = h.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionProbed, metav1.ConditionFalse, v1alpha1.ReasonQuotaExceeded)
		first := reg.Status.Probe
		Expect(h.plane.Delete(h.ctx, quota)).To(Succeed())
		reg = h.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionProbed, metav1.ConditionFalse, v1alpha1.ReasonProbeTimedOut)
		Expect(reg.Status.Probe.Inputs).To(Equal(first.Inputs))
		Expect(reg.Status.Probe.CompletedAt.Sub(first.CompletedAt.Time)).To(BeNumerically(">=", time.Minute))
	})

	It("times out, tells what its Pod waits for, and leaves nothing", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		reg := h.register("edge-1", with())
		key := client.ObjectKeyFromObject(reg)
		Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionProbed).Reason).To(Equal(v1alpha1.ReasonProbeRunning))
		job := h.onlyJob(tenant)
		Expect(job.Labels).To(HaveKeyWithValue(ccluster.ProbeLabel, h.marker(reg).Hash()))
		reg = h.settle(key, v1alpha1.ConditionProbed, metav1.ConditionFalse, v1alpha1.ReasonProbeTimedOut)
		Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionProbed).Message).To(HavePrefix(
			"The probe's Job did not end in `spec.probe.timeoutSeconds`: the Pod is "))
		h.noJobs(tenant)
	})

	It("is broken off and removed when it is no longer asked for", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		reg := h.register("edge-1", with(func(p *v1alpha1.Probe) { p.TimeoutSeconds = 3600 }))
		key := client.ObjectKeyFromObject(reg)
		h.onlyJob(tenant)
		h.change(key, func(reg *v1alpha1.ClusterRegistration) { reg.Spec.Probe = nil })
		reg = h.settle(key, v1alpha1.ConditionProbed, metav1.ConditionTrue, v1alpha1.ReasonNotRequested)
		Expect(reg.Status.Probe).To(BeZero())
		h.noJobs(tenant)
	})

	It("is replaced when another is asked for", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		reg := h.register("edge-1", with(func(p *v1alpha1.Probe) { p.TimeoutSeconds = 3600 }))
		key := client.ObjectKeyFromObject(reg)
		first := h.onlyJob(tenant)
		h.change(key, func(reg *v1alpha1.ClusterRegistration) { reg.Spec.Probe.Command = []string{"true"} })
		Eventually(func(g Gomega) {
			h.must(key)
			second := h.onlyJob(tenant)
			g.Expect(second.UID).NotTo(Equal(first.UID))
			g.Expect(second.Spec.Template.Spec.Containers[0].Command).To(Equal([]string{"true"}))
		}).Should(Succeed())
	})

	It("is broken off and removed before the account goes", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		reg := h.register("edge-1", with(func(p *v1alpha1.Probe) { p.TimeoutSeconds = 3600 }))
		key := client.ObjectKeyFromObject(reg)
		h.onlyJob(tenant)
		Expect(h.kube.Delete(h.ctx, reg)).To(Succeed())
		h.gone(key)
		h.noJobs(tenant)
		Expect(h.plane.Get(h.ctx, client.ObjectKey{Namespace: "kube-system", Name: reg.Spec.ServiceAccount.Name}, &corev1.ServiceAccount{})).
			To(MatchError(ContainSubstring("not found")))
	})

	It("removes what a manager that was killed has left", func(ctx SpecContext) {
		h, tenant, with := newProbing(ctx)
		reg := h.register("edge-1", with(func(p *v1alpha1.Probe) { p.TimeoutSeconds = 3600 }))
		key := client.ObjectKeyFromObject(reg)
		first := h.onlyJob(tenant)
		// The earlier one still watches, as one would that has lost the lead without noticing.
		h.restart()
		Eventually(func(g Gomega) {
			h.must(key)
			g.Expect(h.onlyJob(tenant).UID).NotTo(Equal(first.UID))
		}).Should(Succeed())
	})
})

// newProbing is a harness, a namespace of the infra plane, and what makes a registration ask for a
// probe there.
func newProbing(ctx SpecContext) (*harness, string, func(...func(*v1alpha1.Probe)) func(*v1alpha1.ClusterRegistration)) {
	GinkgoHelper()
	h := newHarness(ctx)
	tenant := testenv.Namespace(GinkgoTB(), h.plane)
	return h, tenant, func(change ...func(*v1alpha1.Probe)) func(*v1alpha1.ClusterRegistration) {
		return func(reg *v1alpha1.ClusterRegistration) {
			reg.Spec.Probe = &v1alpha1.Probe{Namespace: tenant, TimeoutSeconds: 10}
			for _, c := range change {
				c(reg.Spec.Probe)
			}
		}
	}
}

// jobs are those in a namespace of the infra plane that are to stay.
func (h *harness) jobs(g Gomega, namespace string) []batchv1.Job {
	var list batchv1.JobList
	g.Expect(h.plane.List(h.ctx, &list, client.InNamespace(namespace), client.HasLabels{ccluster.ProbeLabel})).To(Succeed())
	var staying []batchv1.Job
	for _, job := range list.Items {
		if job.DeletionTimestamp == nil {
			staying = append(staying, job)
		}
	}
	return staying
}

func (h *harness) onlyJob(namespace string) batchv1.Job {
	GinkgoHelper()
	var only batchv1.Job
	Eventually(func(g Gomega) {
		all := h.jobs(g, namespace)
		g.Expect(all).To(HaveLen(1))
		only = all[0]
	}).Should(Succeed())
	return only
}

// noJobs waits until neither a probe's Job nor its Pod is left.
func (h *harness) noJobs(namespace string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(h.jobs(g, namespace)).To(BeEmpty())
		var pods corev1.PodList
		g.Expect(h.plane.List(h.ctx, &pods, client.InNamespace(namespace))).To(Succeed())
		g.Expect(pods.Items).To(BeEmpty())
	}).WithTimeout(30 * time.Second).Should(Succeed())
}

// change edits a registration's spec.
func (h *harness) change(key client.ObjectKey, edit func(*v1alpha1.ClusterRegistration)) {
	GinkgoHelper()
	reg := &v1alpha1.ClusterRegistration{}
	Expect(h.kube.Get(h.ctx, key, reg)).To(Succeed())
	before := client.MergeFrom(reg.DeepCopy())
	edit(reg)
	Expect(h.kube.Patch(h.ctx, reg, before)).To(Succeed())
}
