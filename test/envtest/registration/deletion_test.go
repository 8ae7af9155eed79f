// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"net/netip"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// removal is a way in which a registration is deleted.
type removal struct {
	name   string
	change func(*bench, *v1alpha1.ClusterRegistration)
	// delete takes away what goes with the registration, in some order.
	delete func(*bench, *v1alpha1.ClusterRegistration)
}

func alone(b *bench, reg *v1alpha1.ClusterRegistration) { b.remove(reg) }

// withoutBootstrap leaves the registration its own token only.
func withoutBootstrap(b *bench, reg *v1alpha1.ClusterRegistration) {
	b.removeBootstrap(reg)
	b.remove(reg)
}

func (b *bench) remove(objects ...client.Object) {
	GinkgoHelper()
	for _, obj := range objects {
		Expect(b.kube.Delete(b.ctx, obj)).To(Succeed())
	}
}

func kubeconfigSecret(reg *v1alpha1.ClusterRegistration) *corev1.Secret {
	return named(&corev1.Secret{}, client.ObjectKey{Namespace: reg.Namespace, Name: reg.Name + "-kubeconfig"})
}

func asItIs(*bench, *v1alpha1.ClusterRegistration) {}

func withRole(name string) func(*bench, *v1alpha1.ClusterRegistration) {
	return func(_ *bench, r *v1alpha1.ClusterRegistration) {
		r.Spec.Access = &v1alpha1.Access{ClusterRoleName: name}
	}
}

func inOneNamespace(b *bench, r *v1alpha1.ClusterRegistration) {
	r.Spec.Access = &v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{b.remoteNamespace()}}
}

func withoutRights(_ *bench, r *v1alpha1.ClusterRegistration) {
	r.Spec.Access = &v1alpha1.Access{Binding: v1alpha1.BindingNone}
}

func bound(_ *bench, r *v1alpha1.ClusterRegistration) {
	r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound}
}

var removals = []removal{
	{"cluster-admin, with the bootstrap Secret", asItIs, alone},
	{"cluster-admin, with its own token", asItIs, withoutBootstrap},
	{"another ClusterRole, with the bootstrap Secret", withRole("view"), alone},
	{"another ClusterRole, with its own token", withRole("view"), withoutBootstrap},
	{"RoleBindings, with the bootstrap Secret", inOneNamespace, alone},
	{"RoleBindings, with its own token", inOneNamespace, withoutBootstrap},
	{"None, with the bootstrap Secret", withoutRights, alone},
	{"Bound token, with the bootstrap Secret", bound, alone},
	{"Bound token, with its own token", bound, withoutBootstrap},
	{"Bound token, RoleBindings, with its own token", func(b *bench, r *v1alpha1.ClusterRegistration) {
		bound(b, r)
		inOneNamespace(b, r)
	}, withoutBootstrap},
	{"registration first, then everything else", asItIs, func(b *bench, reg *v1alpha1.ClusterRegistration) {
		b.remove(reg, planeOf(reg), credentials(reg), kubeconfigSecret(reg))
	}},
	{"everything else first, then the registration", asItIs, func(b *bench, reg *v1alpha1.ClusterRegistration) {
		b.remove(kubeconfigSecret(reg), credentials(reg), planeOf(reg), reg)
	}},
	{"credentials Secret first, then the registration", withRole("view"), func(b *bench, reg *v1alpha1.ClusterRegistration) {
		b.remove(credentials(reg), reg, kubeconfigSecret(reg))
	}},
	{"CCLInfraPlane first, then the registration", inOneNamespace, func(b *bench, reg *v1alpha1.ClusterRegistration) {
		b.remove(planeOf(reg), kubeconfigSecret(reg), reg)
	}},
}

// farewell is what is known of a registration that was deleted.
type farewell struct {
	reg    *v1alpha1.ClusterRegistration
	cred   credential
	hash   string
	events []string
	// reasons of Ready while it went, each once.
	reasons []string
}

var _ = Describe("A registration that is deleted", Ordered, ContinueOnFailure, func() {
	var b, neighbour *bench
	var farewells []*farewell
	stays := map[string]string{}

	// An API server accepts a token for ten seconds after it has died: all are waited for together.
	BeforeAll(func(ctx SpecContext) {
		long := func(o *registration.Options) { o.AllowDuplicateClusters, o.RevokeTimeout = true, 1000*time.Hour }
		b, neighbour = newBench(ctx, long), newBench(ctx, long)
		b.through()
		stay := b.bringUp("stay")
		neighbour.through()
		neighbour.bringUp("edge-0")
		for i, r := range removals {
			b.through()
			reg := b.bringUp(fmt.Sprintf("edge-%d", i), func(reg *v1alpha1.ClusterRegistration) { r.change(b, reg) })
			_, cred := b.credential(reg)
			farewells = append(farewells, &farewell{reg: reg, cred: cred, hash: b.marker(reg).Hash()})
		}
		for _, obj := range append(neighbour.marked(ctx), b.markedBy(ctx, b.marker(stay).Hash())...) {
			stays[describeObjects([]client.Object{obj})[0]] = string(obj.GetUID())
		}
		for i, r := range removals {
			r.delete(b, farewells[i].reg)
		}
		b.follow(farewells)
	})

	for i, r := range removals {
		It("leaves nothing and no token that works: "+r.name, func(ctx SpecContext) {
			b.ctx = ctx
			f := farewells[i]
			Expect(apierrors.IsUnauthorized(f.cred.client().List(ctx, &corev1.NodeList{}))).To(BeTrue(), "the token is refused")
			Eventually(func() []string { return describeObjects(b.markedBy(ctx, f.hash)) }).Should(BeEmpty())
			for _, obj := range []client.Object{credentials(f.reg), planeOf(f.reg)} {
				Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(obj), obj))).To(BeTrue())
			}
			Expect(f.events).NotTo(ContainElement(HavePrefix("Warning RevocationIncomplete")))
			Expect(f.events).NotTo(ContainElement(ContainSubstring("had been changed or deleted")))
			Expect(f.reasons).To(ContainElement(v1alpha1.ReasonRevocationUnproven))
		})
	}

	It("touches nothing of other registrations and other control planes", func(ctx SpecContext) {
		b.ctx = ctx
		left := map[string]string{}
		for _, obj := range append(neighbour.marked(ctx), b.markedBy(ctx, b.marker(named(&v1alpha1.ClusterRegistration{}, client.ObjectKey{Namespace: b.namespace, Name: "stay"})).Hash())...) {
			left[describeObjects([]client.Object{obj})[0]] = string(obj.GetUID())
		}
		Expect(left).To(Equal(stays))
		Expect(left).To(HaveLen(12))
	})
})

// markedBy lists what carries one registration's marker.
func (b *bench) markedBy(ctx SpecContext, hash string) []client.Object {
	GinkgoHelper()
	var found []client.Object
	for _, obj := range b.marked(ctx) {
		if obj.GetLabels()[v1alpha1.MarkerLabel] == hash {
			found = append(found, obj)
		}
	}
	return found
}

// follow does passes over deleted registrations until all are gone. The clock moves only when no
// plane accepts a token any more: they take their own time.
func (b *bench) follow(farewells []*farewell) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		var wait time.Duration
		left, accepted := 0, 0
		for _, f := range farewells {
			live := &v1alpha1.ClusterRegistration{}
			if apierrors.IsNotFound(b.kube.Get(b.ctx, client.ObjectKeyFromObject(f.reg), live)) {
				continue
			}
			left++
			wait = max(wait, b.pass(live).RequeueAfter)
			f.events = append(f.events, b.events()...)
			ready := conditions.Find(live.Status.Conditions, v1alpha1.ConditionReady)
			if ready.Message == "The infra plane still accepts the token" {
				accepted++
			}
			f.reasons = append(f.reasons, ready.Reason)
		}
		if accepted == 0 {
			b.advance(wait)
		}
		g.Expect(left).To(BeZero())
	}).Should(Succeed())
}

var _ = Describe("A registration that is deleted without a proof", func() {
	It("leaves the plane as it is with Retain", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) { r.Spec.DeletionPolicy = v1alpha1.DeletionRetain })
		_, cred := b.credential(reg)
		versions := func() map[string]string {
			all := map[string]string{}
			for _, obj := range b.marked(ctx) {
				all[describeObjects([]client.Object{obj})[0]] = obj.GetResourceVersion()
			}
			return all
		}
		before := versions()
		b.remove(reg)
		b.gone(client.ObjectKeyFromObject(reg))
		Expect(versions()).To(Equal(before))
		Expect(b.onInfra.take()).To(BeEmpty())
		Expect(b.events()).To(Equal([]string{"Normal Released `spec.deletionPolicy` is Retain: everything on the infra plane was left there"}))
		Expect(cred.client().List(ctx, &corev1.NodeList{})).To(Succeed())
		for _, obj := range []client.Object{credentials(reg), planeOf(reg)} {
			Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(obj), obj))).To(BeTrue())
		}
		Expect(b.kube.Get(ctx, client.ObjectKeyFromObject(kubeconfigSecret(reg)), &corev1.Secret{})).To(Succeed())
	})

	for name, kubeconfig := range map[string]func(*bench) []byte{
		"there is no bootstrap Secret": func(*bench) []byte { return nil },
		"its kubeconfig was rejected":  func(*bench) []byte { return []byte("kind: Secret") },
	} {
		It("is gone at once if it never got as far as the plane: "+name, func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.createBare("edge")
			if file := kubeconfig(b); file != nil {
				b.bootstrap("edge-kubeconfig", file)
			}
			b.pass(reg)
			Expect(reg.Finalizers).To(Equal([]string{v1alpha1.RegistrationFinalizer}))
			b.remove(reg)
			b.forgetPast()
			b.must(client.ObjectKeyFromObject(reg))
			Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(reg), reg))).To(BeTrue())
			Expect(b.onInfra.take()).To(BeEmpty())
			Expect(b.events()).To(BeEmpty())
		})
	}

	It("is gone at once if its address may not be dialled", func(ctx SpecContext) {
		b := newBench(ctx)
		b.dial(remote.Policy{Deny: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		reg := b.create("edge")
		b.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionReachable, metav1.ConditionFalse, v1alpha1.ReasonAddressDenied)
		b.remove(reg)
		b.must(client.ObjectKeyFromObject(reg))
		Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(reg), reg))).To(BeTrue())
	})

	It("takes away what it had made before it got stuck", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.create("edge", func(r *v1alpha1.ClusterRegistration) { inNamespace(r, "missing-"+b.namespace) })
		b.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionAuthorized, metav1.ConditionFalse, v1alpha1.ReasonReferenceNotFound)
		Expect(describeObjects(b.marked(ctx))).To(Equal([]string{"ConfigMap " + b.claimKey().String()}))
		b.remove(reg)
		b.gone(client.ObjectKeyFromObject(reg))
		Expect(b.marked(ctx)).To(BeEmpty())
	})

	for _, kept := range []bool{true, false} {
		with := map[bool]string{true: "with the bootstrap Secret", false: "with its own token"}[kept]
		It("does not wait for ever for a plane that is away, "+with, func(ctx SpecContext) {
			b := newBench(ctx)
			front := b.through()
			reg := b.bringUp("edge")
			if !kept {
				b.removeBootstrap(reg)
			}
			_, cred := b.credential(reg)
			objects := describeObjects(b.marked(ctx))
			Expect(front.Close()).To(Succeed())
			b.remove(reg)
			b.refresh(reg)
			deadline := reg.DeletionTimestamp.Add(10 * time.Minute)
			attempts := 0
			for b.clock.Now().Before(deadline) {
				b.must(client.ObjectKeyFromObject(reg))
				b.refresh(reg)
				ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
				Expect([]string{string(ready.Status), ready.Reason}).To(Equal([]string{"False", v1alpha1.ReasonConnectionFailed}))
				Expect(ready.Message).To(HavePrefix("Cleaning up the infra plane: The server refused the connection"))
				attempts++
			}
			Expect(attempts).To(And(BeNumerically(">", 4), BeNumerically("<", 10)), "with backoff")
			Expect(b.clock.Now()).To(BeTemporally("==", deadline), "no later than allowed")
			for _, c := range reg.Status.Conditions[:5] {
				Expect(c.Status).To(Equal(metav1.ConditionTrue), "what was is not rewritten: "+c.Type)
			}
			Expect(eventsOf(v1alpha1.ReasonConnectionFailed, b.events())).To(HaveLen(1))

			b.must(client.ObjectKeyFromObject(reg))
			for _, obj := range []client.Object{reg, credentials(reg), planeOf(reg)} {
				Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(obj), obj))).To(BeTrue())
			}
			events := b.events()
			Expect(events).To(HaveLen(1))
			Expect(events[0]).To(HavePrefix("Warning RevocationIncomplete The infra plane could not be cleaned up in time; left there: "))
			for _, object := range objects {
				Expect(events[0]).To(ContainSubstring(object))
			}
			Expect(events[0]).NotTo(ContainSubstring(cred.Config.BearerToken))
			Expect(describeObjects(b.marked(ctx))).To(Equal(objects))
		})
	}

	It("does not wait for ever for rights that it never had, and says what is left", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) { withoutRights(b, r) })
		b.removeBootstrap(reg)
		b.remove(reg)
		for range 2 {
			b.must(client.ObjectKeyFromObject(reg))
		}
		b.refresh(reg)
		ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
		Expect([]string{string(ready.Status), ready.Reason}).To(Equal([]string{"False", v1alpha1.ReasonForbidden}))
		Expect(ready.Message).To(HavePrefix("Cleaning up the infra plane: The credential does not have the required permission (HTTP 403): use a bootstrap kubeconfig"))
		b.forgetPast()

		By("giving up in time")
		b.gone(client.ObjectKeyFromObject(reg))
		events := b.events()
		Expect(events).To(HaveLen(1))
		Expect(events[0]).To(And(
			HavePrefix("Warning RevocationIncomplete "),
			ContainSubstring("ConfigMap "+b.claimKey().String()),
			ContainSubstring("ServiceAccount "+accountKey(reg, "").String()),
		))
	})

	It("needs no rights of its own when the bootstrap Secret comes back in time", func(ctx SpecContext) {
		b := newBench(ctx, func(o *registration.Options) { o.RevokeTimeout = 1000 * time.Hour })
		reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) { withoutRights(b, r) })
		b.removeBootstrap(reg)
		b.remove(reg)
		for range 2 {
			b.must(client.ObjectKeyFromObject(reg))
		}
		b.bootstrap("edge-kubeconfig", b.kubeconfig)
		f := &farewell{reg: reg}
		b.follow([]*farewell{f})
		b.expectNothingMarked(ctx)
		Expect(f.events).NotTo(ContainElement(HavePrefix("Warning RevocationIncomplete")), "nothing is left")
	})

	It("can be cleaned up when the credential has been lost", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		b.removeBootstrap(reg)
		b.catchUp(edit(ctx, b.kube, credentials(reg), func(s *corev1.Secret) { s.Finalizers = nil }))
		b.remove(credentials(reg), reg)
		b.catchUp(credentials(reg))
		b.must(client.ObjectKeyFromObject(reg))
		b.refresh(reg)
		ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
		Expect([]string{string(ready.Status), ready.Reason}).To(Equal([]string{"False", v1alpha1.ReasonBootstrapRequired}))
		Expect(ready.Message).To(Equal("Cleaning up the infra plane: there is no credential: create the bootstrap Secret again"))
		b.bootstrap("edge-kubeconfig", b.kubeconfig)
		b.gone(client.ObjectKeyFromObject(reg))
		b.expectNothingMarked(ctx)
	})

	It("waits for its CCLInfraPlane to drain", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) { r.Spec.DeletionPolicy = v1alpha1.DeletionRetain })
		plane := edit(ctx, b.kube, planeOf(reg), func(p *v1alpha1.CCLInfraPlane) { p.Finalizers = []string{"example.com/drain"} })
		b.catchUp(plane)
		before := b.contents()
		b.remove(reg)
		b.forgetPast()
		for range 3 {
			Expect(b.pass(reg).RequeueAfter).To(Equal(b.checkPeriod()))
		}
		ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
		Expect([]string{string(ready.Status), ready.Reason, ready.Message}).To(Equal([]string{"False", v1alpha1.ReasonDraining, "CCLInfraPlane edge is still being removed"}))
		Expect(b.onInfra.take()).To(BeEmpty(), "its credential works until then")
		Expect(b.contents()).To(Equal(before))
		Expect(b.onControl.take()).To(Equal([]string{"delete edge", "apply ClusterRegistration edge status"}))
		Expect(eventsOf(v1alpha1.ReasonDraining, b.events())).To(HaveLen(1))

		By("going on when it is drained")
		edit(ctx, b.kube, plane, func(p *v1alpha1.CCLInfraPlane) { p.Finalizers = nil })
		b.gone(client.ObjectKeyFromObject(reg))
		Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(plane), plane))).To(BeTrue())
	})

	It("leaves a CCLInfraPlane and a Secret of somebody else alone", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.registration("edge")
		secret, plane := plant(ctx, b.kube, credentials(reg)), plant(ctx, b.kube, planeOf(reg))
		b.catchUp(plane)
		b.bootstrap("edge-kubeconfig", b.kubeconfig)
		Expect(b.kube.Create(ctx, reg)).To(Succeed())
		b.removeAfter(reg)
		b.settle(client.ObjectKeyFromObject(reg), v1alpha1.ConditionCredentialsApplied, metav1.ConditionFalse, v1alpha1.ReasonForeignObject)
		b.remove(reg)
		b.gone(client.ObjectKeyFromObject(reg))
		for _, obj := range []client.Object{secret, plane} {
			version := obj.GetResourceVersion()
			Expect(b.kube.Get(ctx, client.ObjectKeyFromObject(obj), obj)).To(Succeed())
			Expect(obj.GetResourceVersion()).To(Equal(version))
		}
		b.expectNothingMarked(ctx)
	})
})
