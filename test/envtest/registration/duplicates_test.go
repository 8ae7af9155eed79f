// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// spelled is an administrator's kubeconfig of the infra plane with its address written otherwise.
func spelled(address string) []byte {
	GinkgoHelper()
	cfg := infra.Config()
	cfg.Host = address
	return kubeconfigOf(cfg)
}

var _ = Describe("A cluster that is registered already", func() {
	port := func() string { return infra.Server()[strings.LastIndex(infra.Server(), ":")+1:] }
	It("is refused under the same address, however that is written", func(ctx SpecContext) {
		b := newBench(ctx)
		one := b.bringUp("one")
		first := b.namespace
		b.catchUp(one)
		b.namespace = testenv.Namespace(GinkgoTB(), b.kube)
		var refused []*v1alpha1.ClusterRegistration
		for i, spelling := range []string{
			infra.Server(), infra.Server() + "/", infra.Server() + "/./", "HTTPS://127.0.0.1:" + port(),
			"https://127.0.0.1:0" + port(), "https://[::ffff:127.0.0.1]:" + port(),
		} {
			By("writing it " + spelling)
			b.kubeconfig = spelled(spelling)
			two := b.create(fmt.Sprintf("two-%d", i))
			result := b.pass(two)
			message := b.expectStopped(two, v1alpha1.ConditionReachable, v1alpha1.ReasonServerAlreadyRegistered)
			Expect(message).To(Equal("Another plane of this control plane has the server " + infra.Server() + ": delete that one first"))
			Expect(message).NotTo(ContainSubstring(first))
			Expect(result.RequeueAfter).To(Equal(b.checkPeriod()))
			Expect(b.onInfra.take()).To(BeEmpty(), "nothing is dialled")
			Expect(two.Status.Server).To(BeEmpty())
			refused = append(refused, two)
		}

		By("going on once the other one is gone")
		b.discard(one)
		b.wipe(ctx)
		b.ready(client.ObjectKeyFromObject(refused[0]))
	})

	It("is refused under another address", func(ctx SpecContext) {
		b := newBench(ctx)
		one := b.bringUp("one")
		first := b.namespace
		before := b.contents()
		b.namespace = testenv.Namespace(GinkgoTB(), b.kube)
		b.through()
		two := b.create("two")
		b.pass(two)
		message := b.expectStopped(two, v1alpha1.ConditionAuthorized, v1alpha1.ReasonAlreadyClaimed)
		Expect(message).To(Equal("the cluster is already registered with this control plane: delete the other registration, or ConfigMap " +
			b.claimKey().String() + " on the infra plane if that registration is gone"))
		Expect(message).NotTo(ContainSubstring(first))
		Expect(b.contents()).To(Equal(before))
		Expect(writesOf(b.onInfra.take())).To(BeEmpty())
		Expect(two.Status.Server).To(BeEmpty(), "it must not keep others from the address")

		By("leaving the other one in order")
		b.must(client.ObjectKeyFromObject(one))
		b.refresh(one)
		Expect(conditions.IsTrue(one.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue())

		By("going away without a trace")
		Expect(b.kube.Delete(ctx, two)).To(Succeed())
		b.gone(client.ObjectKeyFromObject(two))
		Expect(b.contents()).To(Equal(before))
	})

	It("may be shared where the manager allows it, with ServiceAccounts of their own", func(ctx SpecContext) {
		b := newBench(ctx, func(o *registration.Options) { o.AllowDuplicateClusters = true })
		one := b.bringUp("one")
		b.through()
		two := b.bringUp("two")
		_, first := b.credential(one)
		_, second := b.credential(two)
		Expect(b.whoami(first)).To(Equal("system:serviceaccount:kube-system:" + one.Spec.ServiceAccount.Name))
		Expect(b.whoami(second)).To(Equal("system:serviceaccount:kube-system:" + two.Spec.ServiceAccount.Name))
		Expect(one.Status.ClusterUID).To(Equal(two.Status.ClusterUID))

		By("but not with one ServiceAccount")
		b.through()
		three := b.create("three", func(r *v1alpha1.ClusterRegistration) { r.Spec.ServiceAccount = one.Spec.ServiceAccount })
		b.pass(three)
		b.expectStopped(three, v1alpha1.ConditionAuthorized, v1alpha1.ReasonAlreadyClaimed)

		By("and not under one address")
		b.kubeconfig = infra.Kubeconfig()
		b.catchUp(one)
		four := b.create("four")
		b.pass(four)
		b.expectStopped(four, v1alpha1.ConditionReachable, v1alpha1.ReasonServerAlreadyRegistered)
	})

	It("may be registered with another control plane, but not with one ServiceAccount", func(ctx SpecContext) {
		b, other := newBench(ctx), newBench(ctx)
		one := b.bringUp("edge")
		before := b.contents()
		// Both share the suite's control plane, which has an address but once.
		other.through()
		same := other.create("same", func(r *v1alpha1.ClusterRegistration) { r.Spec.ServiceAccount = one.Spec.ServiceAccount })
		other.settle(client.ObjectKeyFromObject(same), v1alpha1.ConditionAuthorized, metav1.ConditionFalse, v1alpha1.ReasonForeignObject)
		other.discard(same)
		other.wipe(ctx)
		own := other.bringUp("own")
		Expect(b.contents()).To(Equal(before))
		_, cred := other.credential(own)
		Expect(b.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + own.Spec.ServiceAccount.Name))
	})
})
