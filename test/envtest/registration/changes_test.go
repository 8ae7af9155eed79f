// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// change edits the spec as its owner would, and follows until it has been applied.
func (b *bench) change(reg *v1alpha1.ClusterRegistration, change func(*v1alpha1.ClusterRegistrationSpec)) {
	GinkgoHelper()
	edit(b.ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { change(&r.Spec) })
	b.catchUp(reg)
	b.forgetPast()
	Eventually(func(g Gomega) {
		b.must(client.ObjectKeyFromObject(reg))
		b.refresh(reg)
		ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
		g.Expect(ready.Status).To(Equal(metav1.ConditionTrue), ready.Message)
		g.Expect(ready.ObservedGeneration).To(Equal(reg.Generation))
	}).Should(Succeed())
	Expect(reg.Status.ObservedGeneration).To(Equal(reg.Generation))
	for _, c := range reg.Status.Conditions[:5] {
		Expect(c.ObservedGeneration).To(Equal(reg.Generation), c.Type)
	}
	b.catchUp(credentials(reg))
	b.catchUp(planeOf(reg))
}

var _ = Describe("A change of the spec", func() {
	for _, kept := range []bool{true, false} {
		bootstrap := map[bool]string{true: "with the bootstrap Secret", false: "without it"}[kept]

		It("of labels and annotations reaches the Secret, and what is removed goes, "+bootstrap, func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) {
				r.Spec.ClusterLabels = map[string]v1alpha1.LabelValue{"tier": "gold", "zone": "a"}
			})
			_, before := b.credential(reg)
			if !kept {
				b.removeBootstrap(reg)
			}
			b.change(reg, func(s *v1alpha1.ClusterRegistrationSpec) {
				s.ClusterLabels = map[string]v1alpha1.LabelValue{"tier": "silver", "team": "x"}
				s.ClusterAnnotations = map[string]v1alpha1.AnnotationValue{"contact": "ops"}
			})
			Expect(b.events()).To(BeEmpty(), "nothing had to be repaired, and no token is new")
			Expect(writesOf(b.onInfra.take())).To(BeEmpty())
			secret, after := b.credential(reg)
			Expect(secret.Labels).To(Equal(map[string]string{"tier": "silver", "team": "x", v1alpha1.ManagedLabel: v1alpha1.ManagedCredentials}))
			Expect(secret.Annotations).To(HaveKeyWithValue("contact", "ops"))
			Expect(after.Config.BearerToken).To(Equal(before.Config.BearerToken))

			b.change(reg, func(s *v1alpha1.ClusterRegistrationSpec) { s.ClusterLabels, s.ClusterAnnotations = nil, nil })
			secret, _ = b.credential(reg)
			Expect(secret.Labels).To(Equal(map[string]string{v1alpha1.ManagedLabel: v1alpha1.ManagedCredentials}))
			Expect(secret.Annotations).NotTo(HaveKey("contact"))
			Expect(b.onControl.take()).To(Equal([]string{"apply Secret edge-credentials", "apply ClusterRegistration edge status"}))
		})

		It("of the endpoint moves the credential there and back, "+bootstrap, func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.bringUp("edge")
			if !kept {
				b.removeBootstrap(reg)
			}
			front, err := infra.Front(ctx)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(front.Close)
			b.change(reg, func(s *v1alpha1.ClusterRegistrationSpec) {
				s.Endpoint = &v1alpha1.Endpoint{Server: front.Server() + "/"}
			})
			_, cred := b.credential(reg)
			Expect(cred.Server).To(Equal(front.Server()))
			Expect(reg.Status.Server).To(Equal(front.Server()))
			Expect(b.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
			dialled := front.Accepted()
			Expect(dialled).To(BeNumerically(">", 0))

			b.change(reg, func(s *v1alpha1.ClusterRegistrationSpec) { s.Endpoint = &v1alpha1.Endpoint{Server: infra.Server()} })
			_, cred = b.credential(reg)
			Expect(cred.Server).To(Equal(infra.Server()))
		})
	}

	It("of the endpoint to an address that is down keeps the old credential until it is up", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		before := b.controlContent(reg)
		front, err := infra.Front(ctx)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(front.Close)
		front.Drop()
		edit(ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { r.Spec.Endpoint = &v1alpha1.Endpoint{Server: front.Server()} })
		b.pass(reg)
		reachable := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReachable)
		Expect(reachable.Status).To(Equal(metav1.ConditionFalse))
		Expect(reachable.ObservedGeneration).To(Equal(reg.Generation))
		Expect(reachable.Message).To(HavePrefix(front.Server() + ": "))
		Expect(b.controlContent(reg)).To(Equal(before))
		Expect(reg.Status.Server).To(Equal(infra.Server()))
		front.Resume()
		b.ready(client.ObjectKeyFromObject(reg))
		Expect(string(b.controlContent(reg).Data["server"])).To(Equal(front.Server()))
	})

	It("of the access takes rights away as well as it grants them", func(ctx SpecContext) {
		b := newBench(ctx)
		first, second := b.remoteNamespace(), b.remoteNamespace()
		reg := b.bringUp("edge")
		binding, self := bindingName(reg), accountKey(reg, "-self").String()
		always := []string{
			"ConfigMap " + b.claimKey().String(), "Role " + self, "RoleBinding " + self,
			"ServiceAccount " + accountKey(reg, "").String(),
		}
		with := func(names ...string) OmegaMatcher {
			return ConsistOf(append(append([]string{}, always...), names...))
		}
		// objects leaves tokens out: those that were replaced stay for a while.
		objects := func() []string {
			var list []string
			for _, o := range b.marked(ctx) {
				if _, secret := o.(*corev1.Secret); !secret {
					list = append(list, describeObjects([]client.Object{o})...)
				}
			}
			return list
		}
		own := []string{"ClusterRole " + binding + ":self", "ClusterRoleBinding " + binding + ":self"}
		for _, step := range []struct {
			access  v1alpha1.Access
			objects []string
			rights  []right
		}{
			{
				v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{first, second}},
				append([]string{"RoleBinding " + first + "/" + binding, "RoleBinding " + second + "/" + binding}, own...),
				[]right{{"*", "*.*", first, "", true}, {"*", "*.*", second, "", true}, {"list", "nodes", "", "", false}, {"*", "*.*", "", "", false}},
			},
			{
				v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{second}},
				append([]string{"RoleBinding " + second + "/" + binding}, own...),
				[]right{{"list", "pods", first, "", false}, {"*", "*.*", second, "", true}},
			},
			{
				v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{second}, ClusterRoleName: "view"},
				append([]string{"RoleBinding " + second + "/" + binding}, own...),
				[]right{{"list", "pods", second, "", true}, {"create", "pods", second, "", false}},
			},
			{
				v1alpha1.Access{ClusterRoleName: "view"},
				append([]string{"ClusterRoleBinding " + binding}, own...),
				[]right{{"list", "pods", first, "", true}, {"list", "pods", "", "", true}, {"create", "pods", second, "", false}},
			},
			{
				v1alpha1.Access{},
				[]string{"ClusterRoleBinding " + binding},
				[]right{everything},
			},
		} {
			b.change(reg, func(s *v1alpha1.ClusterRegistrationSpec) { s.Access = &step.access })
			// The role's binding goes with it.
			Eventually(objects).Should(with(step.objects...))
			_, cred := b.credential(reg)
			expectRights(ctx, cred.client(), step.rights...)
			secret, _ := b.credential(reg)
			Expect(string(secret.Data["namespaces"])).To(Equal(strings.Join(slices.Sorted(slices.Values(step.access.Namespaces)), ",")))
			Expect(repairsIn(b.events())).To(BeEmpty(), "a change is no repair")
		}

		By("granting nothing")
		b.change(reg, func(s *v1alpha1.ClusterRegistrationSpec) { s.Access = &v1alpha1.Access{Binding: v1alpha1.BindingNone} })
		Expect(objects()).To(ConsistOf("ConfigMap "+b.claimKey().String(), "ServiceAccount "+accountKey(reg, "").String()))
		_, cred := b.credential(reg)
		expectRights(ctx, cred.client(), right{"list", "pods", first, "", false}, right{"list", "secrets", "kube-system", "", false})
	})

	It("ends a wait at once", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.create("edge", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.Endpoint = &v1alpha1.Endpoint{TLSServerName: new("edge.example.com")}
		})
		for range 6 {
			b.must(client.ObjectKeyFromObject(reg))
		}
		Expect(b.pass(reg).RequeueAfter).To(Equal(8 * time.Minute))
		b.forgetPast()
		edit(ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { r.Spec.Endpoint = nil })
		b.pass(reg)
		Expect(b.onInfra.take()).NotTo(BeEmpty())
		b.ready(client.ObjectKeyFromObject(reg))
	})
})

var _ = Describe("A suspended registration", func() {
	It("is left alone until it is active again", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		edit(ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { r.Spec.Reconciliation = v1alpha1.ReconciliationSuspended })
		before := reg.DeepCopy()
		Expect(b.pass(reg).RequeueAfter).To(BeZero(), "nothing is due")
		ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
		Expect([]any{ready.Status, ready.Reason, ready.ObservedGeneration}).To(Equal([]any{metav1.ConditionUnknown, v1alpha1.ReasonSuspended, reg.Generation}))
		Expect(ready.Message).To(Equal("`spec.reconciliation` is Suspended: nothing is checked or repaired"))
		for _, c := range before.Status.Conditions[:6] {
			Expect(reg.Status.Conditions).To(ContainElement(c), "kept, with the generation it was seen for")
		}
		b.onControl.take()

		By("repairing nothing and asking nothing")
		b.catchUp(edit(ctx, b.kube, credentials(reg), elsewhere))
		Expect(b.plane.Delete(ctx, clusterBinding.find(b, reg))).To(Succeed())
		b.advance(24 * time.Hour)
		for range 3 {
			Expect(b.pass(reg).RequeueAfter).To(BeZero())
		}
		Expect(b.onInfra.take()).To(BeEmpty())
		Expect(b.onControl.take()).To(BeEmpty())
		Expect(b.events()).To(BeEmpty())

		By("doing all of it when it is active again")
		edit(ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { r.Spec.Reconciliation = v1alpha1.ReconciliationActive })
		b.ready(client.ObjectKeyFromObject(reg))
		_, cred := b.credential(reg)
		Expect(cred.Server).To(Equal(infra.Server()))
		expectRights(ctx, cred.client(), everything)
	})

	It("is not begun, and can be deleted", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.create("edge", func(r *v1alpha1.ClusterRegistration) { r.Spec.Reconciliation = v1alpha1.ReconciliationSuspended })
		Expect(b.pass(reg).RequeueAfter).To(BeZero())
		Expect(b.marked(ctx)).To(BeEmpty())
		Expect(reg.Finalizers).To(BeEmpty())
		Expect(b.kube.Delete(ctx, reg)).To(Succeed())
		b.gone(client.ObjectKeyFromObject(reg))
	})
})
