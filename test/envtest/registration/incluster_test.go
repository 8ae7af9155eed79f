// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func inCluster(r *v1alpha1.ClusterRegistration) {
	r.Spec = v1alpha1.ClusterRegistrationSpec{InCluster: &v1alpha1.InCluster{}}
}

var _ = Describe("A registration of the manager's own cluster", func() {
	It("needs no credential where it is allowed", func(ctx SpecContext) {
		b := newBench(ctx, func(o *registration.Options) { o.AllowInCluster = true })
		reg := b.ready(client.ObjectKeyFromObject(b.createBare("own", inCluster)))
		for _, c := range reg.Status.Conditions[:4] {
			Expect([]string{string(c.Status), c.Reason}).To(Equal([]string{"True", v1alpha1.ReasonNotRequired}), c.Type)
		}
		Expect(reg.Status.ServiceAccount).To(BeZero())
		Expect(reg.Status.CredentialsSecretRef).To(BeZero())
		Expect(reg.Status.InfraPlaneRef.Name).To(Equal("own"))
		plane := planeOf(reg)
		Expect(b.kube.Get(ctx, client.ObjectKeyFromObject(plane), plane)).To(Succeed())
		Expect(plane.Spec.ClusterCredentialsRef.Name).To(BeEmpty())
		Expect(metav1.IsControlledBy(plane, reg)).To(BeTrue())
		Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(credentials(reg)), &corev1.Secret{}))).To(BeTrue())

		By("asking no plane, and not coming back by itself")
		b.catchUp(plane)
		b.forgetPast()
		Expect(b.pass(reg).RequeueAfter).To(BeZero())
		Expect(b.onInfra.take()).To(BeEmpty())
		Expect(b.onControl.take()).To(BeEmpty())

		By("mending the CCLInfraPlane")
		Expect(b.kube.Delete(ctx, plane)).To(Succeed())
		b.catchUp(plane)
		b.pass(reg)
		Expect(b.kube.Get(ctx, client.ObjectKeyFromObject(plane), planeOf(reg))).To(Succeed())
		Expect(b.onControl.take()).To(Equal([]string{"apply CCLInfraPlane own"}))

		By("going away with it")
		Expect(b.kube.Delete(ctx, reg)).To(Succeed())
		b.gone(client.ObjectKeyFromObject(reg))
		Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(plane), plane))).To(BeTrue())
	})

	for _, allowed := range []bool{false, true} {
		where := map[bool]string{false: "by default", true: "in another namespace than it is allowed in"}[allowed]
		It("is refused "+where, func(ctx SpecContext) {
			b := newBench(ctx, func(o *registration.Options) {
				o.AllowInCluster, o.InClusterNamespaces = allowed, []string{"platform"}
			})
			reg := b.createBare("own", inCluster)
			Expect(b.pass(reg).RequeueAfter).To(BeZero(), "only a change can help")
			message := b.expectStopped(reg, v1alpha1.ConditionBootstrapAccepted, v1alpha1.ReasonReferenceNotPermitted)
			Expect(message).To(Equal("`spec.inCluster` is not allowed in this namespace: ask who runs the manager for --allow-in-cluster"))
			Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(reg), planeOf(reg)))).To(BeTrue())

			By("saying it once")
			b.forgetPast()
			b.pass(reg)
			Expect(b.onControl.take()).To(BeEmpty())
			Expect(b.events()).To(BeEmpty())

			By("allowing it")
			b.options.AllowInCluster, b.options.InClusterNamespaces = true, []string{"platform", b.namespace}
			b.restart()
			b.pass(reg)
			Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue())
		})
	}
})
