// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// available writes what the controller of CCLInfraPlanes would.
func (b *bench) available(reg *v1alpha1.ClusterRegistration, status metav1.ConditionStatus, reason, message string) {
	GinkgoHelper()
	plane := planeOf(reg)
	Expect(b.kube.Get(b.ctx, client.ObjectKeyFromObject(plane), plane)).To(Succeed())
	plane.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionAvailable, Status: status, Reason: reason, Message: message,
		ObservedGeneration: plane.Generation, LastTransitionTime: metav1.Now(),
	}}
	Expect(b.kube.Status().Update(b.ctx, plane)).To(Succeed())
	b.catchUp(plane)
}

var _ = Describe("A registration beside a controller of CCLInfraPlanes", func() {
	It("is Ready only when the plane is Available", func(ctx SpecContext) {
		b := newBench(ctx, func(o *registration.Options) { o.ReadyWithoutPlane = false })
		key := client.ObjectKeyFromObject(b.create("edge"))
		reg := b.settle(key, v1alpha1.ConditionPlaneAvailable, metav1.ConditionUnknown, v1alpha1.ReasonNotReported)
		ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
		Expect([]string{string(ready.Status), ready.Reason}).To(Equal([]string{"Unknown", v1alpha1.ReasonNotReported}))
		Expect(b.events()).To(ConsistOf(
			"Normal TokenStored A new LongLived token was accepted by the infra plane and stored",
			"Normal Accepted BootstrapAccepted is True",
			"Normal Connected Reachable is True",
			"Normal Granted Authorized is True",
			"Normal Verified TokenIssued is True",
			"Normal Applied CredentialsApplied is True",
		), "no more than is worth telling")

		b.rest(reg)
		for _, step := range []struct {
			status          metav1.ConditionStatus
			reason, message string
			events          []string
		}{
			{metav1.ConditionTrue, "Connected", "", []string{"Normal Connected PlaneAvailable is True", "Normal Ready Ready is True"}},
			{metav1.ConditionFalse, "ArgoCDNotInstalled", "Argo CD is missing: install it", []string{
				"Warning ArgoCDNotInstalled PlaneAvailable is False: Argo CD is missing: install it",
				"Warning ArgoCDNotInstalled Ready is False: PlaneAvailable: Argo CD is missing: install it",
			}},
			{metav1.ConditionTrue, "Connected", "", []string{"Normal Connected PlaneAvailable is True", "Normal Ready Ready is True"}},
		} {
			b.available(reg, step.status, step.reason, step.message)
			b.pass(reg)
			mirrored := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionPlaneAvailable)
			Expect([]string{string(mirrored.Status), mirrored.Reason, mirrored.Message}).To(Equal([]string{string(step.status), step.reason, step.message}))
			Expect(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady).Status).To(Equal(step.status))
			Expect(b.events()).To(Equal(step.events))
			b.catchUp(reg)
			b.pass(reg)
			Expect(b.events()).To(BeEmpty())
		}
		Expect(b.onInfra.take()).To(BeEmpty())
	})
})
