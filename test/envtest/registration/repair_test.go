// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// audit is the number of checks of which one looks at every object.
const audit = 10

var (
	everything = right{"*", "*.*", "", "", true}
	viewing    = right{"list", "pods", "default", "", true}
)

type damagedObject struct {
	name    string
	damages []damage
}

// damages are what can be done to a registration, by how far its own token reaches.
var damages = []struct {
	access  string
	change  func(*bench, *v1alpha1.ClusterRegistration)
	objects []damagedObject
}{
	{
		access: "cluster-admin",
		change: func(*bench, *v1alpha1.ClusterRegistration) {},
		objects: []damagedObject{
			{"claim", []damage{claim.deleted(), claim.unlabelled()}},
			{"ServiceAccount", []damage{account.unlabelled(), account.edited("with its token mounted", automount)}},
			{"ClusterRoleBinding", []damage{
				clusterBinding.deleted().losing(everything).byAdmin(),
				clusterBinding.withoutSubjects().losing(everything).byAdmin(),
				clusterBinding.ofAnotherRole().losing(everything).byAdmin(),
				clusterBinding.withAnotherSubject(),
				clusterBinding.unlabelled(),
			}},
			{"self Role", []damage{selfRole.deleted(), selfRole.withoutRules(), selfRole.unlabelled()}},
			{"self RoleBinding", []damage{selfBinding.deleted(), selfBinding.withoutSubjects(), selfBinding.ofAnotherRole(), selfBinding.unlabelled()}},
			{"token Secret", []damage{tokenSecret.unlabelled()}},
		},
	},
	{
		access: "cluster-admin, Bound token",
		change: func(_ *bench, r *v1alpha1.ClusterRegistration) {
			r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound}
		},
		objects: []damagedObject{{"anchor", []damage{tokenSecret.unlabelled()}}},
	},
	{
		access: "RoleBindings",
		change: func(b *bench, r *v1alpha1.ClusterRegistration) {
			r.Spec.Access = &v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{b.remoteNamespace()}}
		},
		objects: []damagedObject{
			{"claim", []damage{claim.deleted().byAdmin(), claim.unlabelled().byAdmin()}},
			{"ServiceAccount", []damage{account.unlabelled(), account.edited("with its token mounted", automount)}},
			{"RoleBinding", []damage{
				workBinding.deleted().losing(everything).byAdmin(),
				workBinding.withoutSubjects().losing(everything).byAdmin(),
				workBinding.ofAnotherRole().losing(everything).byAdmin(),
				workBinding.withAnotherSubject(),
				workBinding.unlabelled(),
			}},
			{"self Role", []damage{selfRole.deleted().byAdmin(), selfRole.withoutRules().byAdmin(), selfRole.unlabelled().byAdmin()}},
			{"self RoleBinding", []damage{selfBinding.deleted().byAdmin(), selfBinding.withoutSubjects().byAdmin(), selfBinding.ofAnotherRole().byAdmin()}},
			{"self ClusterRole", []damage{selfClusterRole.deleted().taking(selfClusterBinding).byAdmin(), selfClusterRole.withoutRules().byAdmin()}},
			{"self ClusterRoleBinding", []damage{selfClusterBinding.deleted().byAdmin(), selfClusterBinding.withoutSubjects().byAdmin(), selfClusterBinding.ofAnotherRole().byAdmin()}},
		},
	},
	{
		access: "RoleBindings, namespace of its own",
		change: func(b *bench, r *v1alpha1.ClusterRegistration) {
			r.Spec.ServiceAccount.Namespace = b.remoteNamespace()
			r.Spec.Access = &v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{b.remoteNamespace()}}
		},
		objects: []damagedObject{
			{"token Secret", []damage{tokenSecret.unlabelled()}},
			{"self Role", []damage{selfRole.deleted().byAdmin(), selfRole.withoutRules().byAdmin()}},
		},
	},
	{
		access: "ClusterRole view",
		change: func(_ *bench, r *v1alpha1.ClusterRegistration) {
			r.Spec.Access = &v1alpha1.Access{ClusterRoleName: "view"}
		},
		objects: []damagedObject{
			{"ClusterRoleBinding", []damage{
				clusterBinding.deleted().losing(viewing).byAdmin(),
				clusterBinding.withoutSubjects().losing(viewing).byAdmin(),
				clusterBinding.ofAnotherRole().losing(viewing).byAdmin(),
				clusterBinding.withAnotherSubject().byAdmin(),
				clusterBinding.unlabelled().byAdmin(),
			}},
			{"claim", []damage{claim.deleted().byAdmin(), claim.unlabelled().byAdmin()}},
			{"ServiceAccount", []damage{account.unlabelled(), account.edited("with its token mounted", automount)}},
			{"self Role", []damage{selfRole.deleted().byAdmin(), selfRole.withoutRules().byAdmin(), selfRole.unlabelled().byAdmin()}},
			{"self RoleBinding", []damage{selfBinding.deleted().byAdmin(), selfBinding.withoutSubjects().byAdmin(), selfBinding.ofAnotherRole().byAdmin()}},
			{"self ClusterRole", []damage{selfClusterRole.deleted().taking(selfClusterBinding).byAdmin(), selfClusterRole.withoutRules().byAdmin()}},
			{"self ClusterRoleBinding", []damage{selfClusterBinding.deleted().byAdmin(), selfClusterBinding.withoutSubjects().byAdmin(), selfClusterBinding.ofAnotherRole().byAdmin()}},
		},
	},
	{
		access: "ClusterRole view, namespace of its own",
		change: func(b *bench, r *v1alpha1.ClusterRegistration) {
			r.Spec.ServiceAccount.Namespace = b.remoteNamespace()
			r.Spec.Access = &v1alpha1.Access{ClusterRoleName: "view"}
		},
		objects: []damagedObject{
			{"token Secret", []damage{tokenSecret.unlabelled()}},
		},
	},
}

func automount(o client.Object) {
	account, ok := o.(*corev1.ServiceAccount)
	Expect(ok).To(BeTrue())
	account.AutomountServiceAccountToken = new(true)
}

var _ = Describe("What was damaged on an infra plane", func() {
	for _, of := range damages {
		for _, kept := range []bool{true, false} {
			bootstrap := map[bool]string{true: "bootstrap Secret kept", false: "bootstrap Secret deleted"}[kept]
			Context(of.access+", "+bootstrap, Ordered, ContinueOnFailure, func() {
				var b *bench
				var reg *v1alpha1.ClusterRegistration
				var before map[string]content

				BeforeAll(func(ctx SpecContext) {
					b = newBench(ctx)
					reg = b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) { of.change(b, r) })
					before = b.contents()
				})
				AfterEach(func(ctx SpecContext) {
					if CurrentSpecReport().Failed() {
						b.ctx = ctx
						b.restore(reg, before)
					}
				})

				for _, object := range of.objects {
					for _, d := range object.damages {
						outcome := "comes back"
						if d.admin && !kept {
							outcome = "is reported, and comes back with the bootstrap Secret"
						}
						It(object.name+", "+d.name+": "+outcome, func(ctx SpecContext) {
							b.ctx = ctx
							if !kept {
								b.removeBootstrap(reg)
							}
							b.forgetPast()
							b.inflict(reg, d)
							if d.admin && !kept {
								b.expectBootstrapRequired(reg, d, v1alpha1.ConditionAuthorized)
								b.bootstrap("edge-kubeconfig", b.kubeconfig)
							}
							b.expectRepaired(reg, d, before)
						})
					}
				}
			})
		}
	}
})

var _ = Describe("A right that is lost in one of several namespaces", func() {
	It("is found within as many checks as there are namespaces", func(ctx SpecContext) {
		b := newBench(ctx)
		namespaces := []string{b.remoteNamespace(), b.remoteNamespace(), b.remoteNamespace()}
		reg := b.bringUp("edge", withAccess(v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: namespaces}))
		whole := b.contents()
		_, cred := b.credential(reg)
		for _, namespace := range namespaces {
			b.forgetPast()
			binding := named(&rbacv1.RoleBinding{}, types.NamespacedName{Namespace: namespace, Name: bindingName(reg)})
			Expect(b.plane.Delete(ctx, binding)).To(Succeed())
			expectRights(ctx, cred.client(), right{"list", "pods", namespace, "", false})
			for range namespaces {
				b.must(client.ObjectKeyFromObject(reg))
			}
			Expect(b.contents()).To(Equal(whole))
			Expect(repairsIn(b.events())).To(Equal([]string{
				"Normal Repaired RoleBinding " + namespace + "/" + binding.Name + " had been changed or deleted and is as it should be again",
			}))
		}
	})
})

// inflict does the damage and, where a check is to notice, waits until the plane does.
func (b *bench) inflict(reg *v1alpha1.ClusterRegistration, d damage) {
	GinkgoHelper()
	d.do(b, reg)
	if d.lost == nil {
		return
	}
	lost := *d.lost
	lost.allowed = false
	if a := reg.Spec.Access; a != nil && len(a.Namespaces) > 0 {
		lost.namespace = a.Namespaces[0]
	}
	_, cred := b.credential(reg)
	expectRights(b.ctx, cred.client(), lost)
}

func (d damage) limit() int {
	if d.lost != nil {
		return 1
	}
	return audit
}

// expectRepaired does as many checks as it may take, and then some in which nothing happens.
func (b *bench) expectRepaired(reg *v1alpha1.ClusterRegistration, d damage, whole map[string]content) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(reg)
	checks, repaired := 0, false
	for checks < d.limit() && !repaired {
		checks++
		_, err := b.once(key)
		Expect(err).NotTo(HaveOccurred())
		repaired = len(writesOf(b.onInfra.peek())) > 0
	}
	writes, events := writesOf(b.onInfra.take()), repairsIn(b.events())
	AddReportEntry("repair", fmt.Sprintf("%d checks, %v, %v", checks, writes, events), ReportEntryVisibilityFailureOrVerbose)
	Expect(b.contents()).To(Equal(whole))
	var wanted []string
	for _, object := range d.objects(b, reg) {
		wanted = append(wanted, "Normal Repaired "+object+" had been changed or deleted and is as it should be again")
	}
	Expect(events).To(Equal(wanted))
	b.refresh(reg)
	Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue(), "%v", reg.Status.Conditions)

	By("doing nothing once it is right")
	b.forgetPast()
	for range audit + 1 {
		_, err := b.once(key)
		Expect(err).NotTo(HaveOccurred())
	}
	Expect(writesOf(b.onInfra.take())).To(BeEmpty())
	Expect(b.onControl.take()).To(BeEmpty())
	Expect(b.events()).To(BeEmpty())
}

// expectBootstrapRequired is what a damage leads to that the own token cannot mend.
func (b *bench) expectBootstrapRequired(reg *v1alpha1.ClusterRegistration, d damage, condition string) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(reg)
	b.refresh(reg)
	before := reg.DeepCopy()
	accepted := &before.Status.Conditions[0]
	Expect(accepted.Type).To(Equal(v1alpha1.ConditionBootstrapAccepted))
	accepted.Reason, accepted.Message = v1alpha1.ReasonNotRequired, "The registration works with its own token"
	for range d.limit() {
		_, err := b.once(key)
		Expect(err).NotTo(HaveOccurred())
		b.refresh(reg)
		if !conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady) {
			break
		}
	}
	b.expectOnly(reg, before, condition, v1alpha1.ReasonBootstrapRequired)
	Expect(conditions.Find(reg.Status.Conditions, condition).Message).To(ContainSubstring("create Secret " + reg.Name + "-kubeconfig "))
	Expect(b.events()).To(ConsistOf(
		HavePrefix("Warning BootstrapRequired "+condition+" is False: "),
		HavePrefix("Warning BootstrapRequired Ready is False: "+condition+": "),
	))

	By("saying it once")
	b.forgetPast()
	for range 3 {
		result, err := b.once(key)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(b.checkPeriod()))
	}
	Expect(writesOf(b.onInfra.take())).To(BeEmpty())
	Expect(b.onControl.take()).To(BeEmpty())
	Expect(b.events()).To(BeEmpty())
}

// restore makes good what a failed spec has left, so that the next one starts from there.
func (b *bench) restore(reg *v1alpha1.ClusterRegistration, whole map[string]content) {
	GinkgoHelper()
	b.removeBootstrap(reg)
	b.bootstrap(reg.Name+"-kubeconfig", b.kubeconfig)
	b.restart()
	Eventually(func(g Gomega) {
		for range audit {
			b.must(client.ObjectKeyFromObject(reg))
		}
		g.Expect(b.contents()).To(Equal(whole))
	}).Should(Succeed())
}
