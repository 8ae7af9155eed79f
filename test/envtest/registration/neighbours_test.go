// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

var _ = Describe("Control planes that share an infra plane", func() {
	It("have objects of their own, and go without touching another's", func(ctx SpecContext) {
		kinds := []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound, v1alpha1.TokenLongLived}
		benches := make([]*bench, len(kinds))
		registrations := make([]*v1alpha1.ClusterRegistration, len(kinds))
		seen := map[string]int{}
		for i, kind := range kinds {
			benches[i] = newBench(ctx, patient)
			// They share the suite's control plane, which has an address but once.
			benches[i].through()
			registrations[i] = benches[i].bringUp("edge", ofKind(kind))
			for name, uid := range benches[i].uids() {
				seen[name]++
				seen[string(uid)]++
			}
		}
		Expect(seen).To(HaveLen(2*6*len(kinds)), "no object is two control planes'")
		Expect(slices.Max(slices.Collect(maps.Values(seen)))).To(Equal(1))

		stays, reg := benches[0], registrations[0]
		before, whole := stays.uids(), stays.contents()
		_, cred := stays.credential(reg)
		for i, with := range []string{"with the bootstrap Secret", "with its own token"} {
			By("deleting another one " + with)
			other, leaving := benches[i+1], registrations[i+1]
			if i == 1 {
				other.removeBootstrap(leaving)
			}
			Expect(other.leave(leaving, true)).NotTo(ContainElement(HavePrefix("Warning RevocationIncomplete")))
			other.expectNothingMarked(ctx)

			Expect(stays.uids()).To(Equal(before))
			Expect(stays.contents()).To(Equal(whole))
			Expect(stays.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
			Expect(can(ctx, cred.client(), "*", "*.*", "", "")).To(BeTrue())
			stays.expectQuiet(reg)
			_, same := stays.credential(reg)
			Expect(same).To(Equal(cred))
		}
	})
})

// rebuilt is a cluster that was registered, with what the registration was.
type rebuilt struct {
	*bench

	reg    *v1alpha1.ClusterRegistration
	before controlContent
}

func registerRebuilt(b *bench, change ...func(*v1alpha1.ClusterRegistration)) *rebuilt {
	GinkgoHelper()
	reg := b.bringUp("edge", change...)
	return &rebuilt{bench: b, reg: reg, before: b.controlContent(reg)}
}

// expectUnserved looks at the new cluster and at what is handed on: it got nothing, and nobody is
// led to it with anything new.
func (r *rebuilt) expectUnserved(fresh client.Client) {
	GinkgoHelper()
	for _, list := range markedKinds() {
		Expect(fresh.List(r.ctx, list, client.HasLabels{v1alpha1.MarkerLabel})).To(Succeed())
		Expect(itemsOf(list)).To(BeEmpty(), "%T", list)
	}
	account := &corev1.ServiceAccount{}
	Expect(apierrors.IsNotFound(fresh.Get(r.ctx, accountKey(r.reg, ""), account))).To(BeTrue())
	Expect(r.controlContent(r.reg)).To(Equal(r.before))
}

// expectTold does one pass and expects it to report the other cluster, once.
func (r *rebuilt) expectTold() {
	GinkgoHelper()
	before := r.reg.DeepCopy()
	result := r.pass(r.reg)
	reachable := conditions.Find(r.reg.Status.Conditions, v1alpha1.ConditionReachable)
	message := "Another cluster answers at " + before.Status.Server + " than the one that was registered: delete this registration and create it again to move to it"
	Expect([]string{string(reachable.Status), reachable.Reason, reachable.Message}).To(Equal([]string{
		"False", v1alpha1.ReasonClusterIdentityChanged, message,
	}))
	Expect(result.RequeueAfter).To(Equal(r.checkPeriod()))
	Expect(r.reg.Status.ClusterUID).To(Equal(before.Status.ClusterUID), "what was registered is kept")
	Expect(r.reg.Status.RemoteObjects).To(Equal(before.Status.RemoteObjects))
	wanted := []string{"Warning ClusterIdentityChanged Reachable is False: " + message}
	if isReady(before) {
		wanted = append(wanted, "Warning ClusterIdentityChanged Ready is False: Reachable: "+message)
	}
	Expect(eventsOf(v1alpha1.ReasonClusterIdentityChanged, r.events())).To(ConsistOf(wanted))
	Expect(writesOf(r.onInfra.take())).To(BeEmpty())
	Expect(r.onControl.take()).To(Equal([]string{"apply ClusterRegistration edge status"}))

	By("saying it once, restarted or not")
	for range 2 {
		r.restart()
		for range audit {
			r.must(client.ObjectKeyFromObject(r.reg))
		}
	}
	Expect(writesOf(r.onInfra.take())).To(BeEmpty())
	Expect(r.onControl.take()).To(BeEmpty())
	Expect(r.events()).To(BeEmpty())
}

// expectSuccessor deletes the registration within its bound and registers the new cluster, at the
// same address, under another name.
func (r *rebuilt) expectSuccessor(fresh client.Client, kubeconfig []byte) {
	GinkgoHelper()
	By("refusing the address to another registration while there is this one")
	r.kubeconfig = kubeconfig
	next := r.create("next")
	r.pass(next)
	r.expectStopped(next, v1alpha1.ConditionReachable, v1alpha1.ReasonServerAlreadyRegistered)

	By("ending the deletion within its bound")
	left := slices.Sorted(slices.Values(namesOf(r.reg.Status.RemoteObjects)))
	Expect(r.kube.Delete(r.ctx, r.reg)).To(Succeed())
	r.refresh(r.reg)
	deadline := r.reg.DeletionTimestamp.Add(registrationTimeout)
	r.forgetPast()
	// The new cluster's clock is that of the machine, the reconciler's may have run ahead.
	r.clock.SetTime(r.reg.DeletionTimestamp.Time)
	r.gone(client.ObjectKeyFromObject(r.reg))
	Expect(r.clock.Now()).NotTo(BeTemporally(">", deadline))
	incomplete := eventsOf(v1alpha1.ReasonRevocationIncomplete, r.events())
	Expect(incomplete).To(HaveLen(1))
	for _, object := range left {
		Expect(incomplete[0]).To(ContainSubstring(object), "what cannot be seen any more is told")
	}
	Expect(writesOf(r.onInfra.take())).To(BeEmpty())
	for _, obj := range []client.Object{credentials(r.reg), planeOf(r.reg)} {
		Expect(apierrors.IsNotFound(r.kube.Get(r.ctx, client.ObjectKeyFromObject(obj), obj))).To(BeTrue())
		r.catchUp(obj)
	}
	r.catchUp(named(&v1alpha1.ClusterRegistration{}, client.ObjectKeyFromObject(r.reg)))

	By("registering the new cluster")
	r.plane = fresh
	next = r.ready(client.ObjectKeyFromObject(next))
	Expect(next.Status.Server).To(Equal(r.reg.Status.Server))
	Expect(next.Status.ClusterUID).To(Equal(clusterUID(r.ctx, fresh)))
	Expect(next.Status.ClusterUID).NotTo(Equal(r.reg.Status.ClusterUID))
	_, cred := r.credential(next)
	Expect(r.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + next.Spec.ServiceAccount.Name))
	Expect(r.uids()).To(HaveLen(6))
}

// registrationTimeout is how long a deletion waits for its plane by default.
const registrationTimeout = 10 * time.Minute

func namesOf(objects []v1alpha1.RemoteObject) []string {
	names := make([]string, 0, len(objects))
	for _, o := range objects {
		names = append(names, o.Name)
	}
	return names
}

var _ = Describe("A cluster that was rebuilt at its address", func() {
	It("with the same keys is told from the one that was registered, and gets nothing", func(ctx SpecContext) {
		plane := testenv.Planes(GinkgoTB(), localplane.Options{Name: "rebuilt"})[0]
		b := newBench(ctx)
		b.moveTo(plane)
		r := registerRebuilt(b)
		Expect(plane.Rebuild(ctx)).To(Succeed())
		r.advance(r.checkPeriod() * 2)
		r.forgetPast()
		r.expectTold()
		r.expectUnserved(b.plane)

		By("not listening to its own token alone either")
		r.removeBootstrap(r.reg)
		r.restart()
		r.must(client.ObjectKeyFromObject(r.reg))
		r.refresh(r.reg)
		issued := conditions.Find(r.reg.Status.Conditions, v1alpha1.ConditionTokenIssued)
		Expect([]string{string(issued.Status), issued.Reason}).To(Equal([]string{"False", v1alpha1.ReasonBootstrapRequired}))
		r.expectUnserved(b.plane)
		b.bootstrap("edge-kubeconfig", plane.Kubeconfig())
		r.forgetPast()
		r.must(client.ObjectKeyFromObject(r.reg))
		r.refresh(r.reg)
		Expect(conditions.Find(r.reg.Status.Conditions, v1alpha1.ConditionReachable).Reason).To(Equal(v1alpha1.ReasonClusterIdentityChanged))
		r.expectUnserved(b.plane)

		r.expectSuccessor(b.plane, plane.Kubeconfig())
	})

	It("with keys of its own is not even shown the token, until somebody vouches for it", func(ctx SpecContext) {
		planes := testenv.Planes(GinkgoTB(), localplane.Options{Name: "before"}, localplane.Options{Name: "after", AuditLog: true})
		b := newBench(ctx)
		b.moveTo(planes[0])
		front := b.frontOf(planes[0])
		r := registerRebuilt(b)
		front.Retarget(planes[1])
		fresh := adminOf(planes[1])
		since, err := planes[1].AuditPosition()
		Expect(err).NotTo(HaveOccurred())

		r.advance(r.checkPeriod() * 2)
		r.forgetPast()
		before := r.reg.DeepCopy()
		r.pass(r.reg)
		r.expectOnly(r.reg, before, v1alpha1.ConditionReachable, v1alpha1.ReasonTLSFailed)
		r.forgetPast()
		for range 3 {
			r.must(client.ObjectKeyFromObject(r.reg))
		}
		Expect(r.onControl.take()).To(BeEmpty())
		Expect(r.events()).To(BeEmpty())
		shown, err := planes[1].Audit(localplane.AuditFilter{Since: since, UserAgent: remoteAgent})
		Expect(err).NotTo(HaveOccurred())
		Expect(describe(shown)).To(BeEmpty(), "TLS ends before a credential is sent")
		r.expectUnserved(fresh)

		By("giving the registration a kubeconfig of the new cluster")
		kubeconfig := kubeconfigOf(front.Config(planes[1].Config()))
		edit(ctx, b.kube, kubeconfigSecret(r.reg), func(s *corev1.Secret) { s.Data["kubeconfig"] = kubeconfig })
		edit(ctx, b.kube, r.reg, func(reg *v1alpha1.ClusterRegistration) {
			reg.Spec.Endpoint = &v1alpha1.Endpoint{CABundle: planes[1].CAData()}
		})
		r.forgetPast()
		r.expectTold()
		shown, err = planes[1].Audit(localplane.AuditFilter{Since: since, UserAgent: remoteAgent})
		Expect(err).NotTo(HaveOccurred())
		Expect(describe(shown)).NotTo(ContainElement(ContainSubstring("selfsubject")), "the token is not shown to it")
		r.expectUnserved(fresh)

		r.expectSuccessor(fresh, kubeconfig)
	})
})

// told is all that a registration's tenant can read about it, in one text.
func (b *bench) told(reg *v1alpha1.ClusterRegistration) string {
	GinkgoHelper()
	b.refresh(reg)
	reg.ManagedFields = nil
	text, err := json.Marshal(reg)
	Expect(err).NotTo(HaveOccurred())
	return strings.Join(append(b.events(), string(text)), "\n")
}

var _ = Describe("The second who registers a server", func() {
	for name, second := range map[string]struct {
		change func(*registration.Options)
		// lead returns the kubeconfig that the second one has.
		lead func(*bench) []byte
		// reg is what the second one asks for beside it.
		reg       func(first *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration)
		condition string
		reason    string
	}{
		"at the same address": {
			change: func(*registration.Options) {}, lead: func(*bench) []byte { return infra.Kubeconfig() },
			reg:       func(*v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) { return kept },
			condition: v1alpha1.ConditionReachable, reason: v1alpha1.ReasonServerAlreadyRegistered,
		},
		"at another address": {
			change: func(*registration.Options) {}, lead: elsewhereOf,
			reg:       func(*v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) { return kept },
			condition: v1alpha1.ConditionAuthorized, reason: v1alpha1.ReasonAlreadyClaimed,
		},
		"where that is allowed, with the same ServiceAccount": {
			change: func(o *registration.Options) { o.AllowDuplicateClusters = true }, lead: elsewhereOf,
			reg: func(first *v1alpha1.ClusterRegistration) func(*v1alpha1.ClusterRegistration) {
				return func(r *v1alpha1.ClusterRegistration) { r.Spec.ServiceAccount = first.Spec.ServiceAccount }
			},
			condition: v1alpha1.ConditionAuthorized, reason: v1alpha1.ReasonAlreadyClaimed,
		},
	} {
		It("learns that, and not whose the first is: "+name, func(ctx SpecContext) {
			b := newBench(ctx, second.change)
			first := b.bringUp("primus", func(r *v1alpha1.ClusterRegistration) {
				r.Spec.ServiceAccount.Name = "shared-" + b.options.ControlPlaneID
			})
			b.catchUp(first)
			secrets := []string{first.Namespace, first.Name, string(first.UID), first.Status.ServiceAccount.UID, b.marker(first).Hash(), first.Status.Token.SecretName}
			before := b.uids()

			b.namespace = testenv.Namespace(GinkgoTB(), b.kube)
			b.kubeconfig = second.lead(b)
			b.events()
			late := b.create("secundus", second.reg(first))
			b.pass(late)
			b.refresh(late)
			Expect(b.expectStopped(late, second.condition, second.reason)).NotTo(BeEmpty())
			told := b.told(late)
			Expect(told).To(ContainSubstring("Warning " + second.reason + " " + second.condition + " is False: "))
			for range 3 {
				b.must(client.ObjectKeyFromObject(late))
			}
			told += b.told(late)

			By("being deleted")
			Expect(b.kube.Delete(ctx, late)).To(Succeed())
			b.gone(client.ObjectKeyFromObject(late))
			told += strings.Join(b.events(), "\n")
			for _, secret := range secrets {
				Expect(told).NotTo(ContainSubstring(secret))
			}
			Expect(b.uids()).To(Equal(before))
		})
	}
})

func kept(*v1alpha1.ClusterRegistration) {}

// elsewhereOf is a kubeconfig of the infra plane under an address of its own.
func elsewhereOf(b *bench) []byte {
	GinkgoHelper()
	b.through()
	return b.kubeconfig
}

var _ = Describe("Registrations whose names join to the same text", func() {
	// lookalikes are namespaces `x` and `x-b`, made on a plane.
	lookalikes := func(ctx SpecContext, kube client.Client, first string) string {
		GinkgoHelper()
		return plant(ctx, kube, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: first + "-b"}}).Name
	}

	It("share nothing on an infra plane, although their ServiceAccounts join likewise", func(ctx SpecContext) {
		b := newBench(ctx, func(o *registration.Options) { o.AllowDuplicateClusters = true }, patient)
		short := b.namespace
		long := lookalikes(ctx, b.kube, short)
		remote := b.remoteNamespace()
		remoteLong := lookalikes(ctx, b.plane, remote)
		b.through()
		one := b.bringUp("b-c", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.ServiceAccount = &v1alpha1.ServiceAccountReference{Namespace: remote, Name: "b-c"}
		})
		b.namespace = long
		b.through()
		two := b.bringUp("c", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.ServiceAccount = &v1alpha1.ServiceAccountReference{Namespace: remoteLong, Name: "c"}
		})
		Expect(one.Namespace + "-" + one.Name).To(Equal(two.Namespace + "-" + two.Name))
		Expect(accountKey(one, "").Namespace + "-" + accountKey(one, "").Name).To(Equal(accountKey(two, "").Namespace + "-" + accountKey(two, "").Name))

		Expect(b.marker(one).Hash()).NotTo(Equal(b.marker(two).Hash()))
		first, second := b.markedBy(ctx, b.marker(one).Hash()), b.markedBy(ctx, b.marker(two).Hash())
		Expect(first).To(HaveLen(6))
		Expect(second).To(HaveLen(6))
		all := slices.Concat(describeObjects(first), describeObjects(second))
		slices.Sort(all)
		Expect(slices.Compact(slices.Clone(all))).To(Equal(all), "no name is both's")
		_, cred := b.credential(one)
		Expect(b.whoami(cred)).To(Equal("system:serviceaccount:" + remote + ":b-c"))
		_, other := b.credential(two)
		Expect(b.whoami(other)).To(Equal("system:serviceaccount:" + remoteLong + ":c"))

		By("deleting one")
		stays := b.uids()
		for _, obj := range first {
			delete(stays, describeObjects([]client.Object{obj})[0])
		}
		b.leave(one, true)
		Eventually(func() any { return b.uids() }).Should(Equal(stays))
		Expect(b.whoami(other)).To(Equal("system:serviceaccount:" + remoteLong + ":c"))
		b.clock.SetTime(two.CreationTimestamp.Time)
		b.restart()
		b.audited(two)
		b.expectQuiet(two)
	})

	It("are duplicates of each other where a cluster may be registered once", func(ctx SpecContext) {
		b := newBench(ctx)
		short := b.namespace
		long := lookalikes(ctx, b.kube, short)
		one := b.bringUp("b-c")
		before := b.uids()
		b.namespace = long
		b.through()
		// The ServiceAccount is the same one: of names that are joined, that is what comes.
		two := b.create("c")
		Expect(two.Spec.ServiceAccount).To(Equal(one.Spec.ServiceAccount))
		b.pass(two)
		b.expectStopped(two, v1alpha1.ConditionAuthorized, v1alpha1.ReasonAlreadyClaimed)
		Expect(b.uids()).To(Equal(before))
	})
})

var _ = Describe("Labels and annotations of somebody else on the credentials", func() {
	It("stay while those of the spec come, change and go, also where both want one", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.ClusterLabels = map[string]v1alpha1.LabelValue{"tier": "gold", "zone": "a"}
			r.Spec.ClusterAnnotations = map[string]v1alpha1.AnnotationValue{"contact": "ops"}
		})
		theirs := corev1ac.Secret(credentials(reg).Name, reg.Namespace).
			WithLabels(map[string]string{"team": "x", "zone": "a"}).
			WithAnnotations(map[string]string{"note": "y", "contact": "ops"})
		Expect(b.kube.Apply(ctx, theirs, client.FieldOwner("labeller"))).To(Succeed())
		b.catchUp(credentials(reg))
		b.rest(reg)
		Expect(b.onControl.take()).To(BeEmpty())

		for _, step := range []struct {
			labels             map[string]v1alpha1.LabelValue
			annotations        map[string]v1alpha1.AnnotationValue
			wanted, wantedNote map[string]string
		}{
			{
				map[string]v1alpha1.LabelValue{"tier": "silver", "zone": "a", "added": "1"},
				map[string]v1alpha1.AnnotationValue{"contact": "ops", "more": "2"},
				map[string]string{"tier": "silver", "zone": "a", "added": "1", "team": "x"},
				map[string]string{"contact": "ops", "more": "2", "note": "y"},
			},
			{
				map[string]v1alpha1.LabelValue{"tier": "silver"},
				nil,
				map[string]string{"tier": "silver", "zone": "a", "team": "x"},
				map[string]string{"contact": "ops", "note": "y"},
			},
			{
				nil, nil,
				map[string]string{"zone": "a", "team": "x"},
				map[string]string{"contact": "ops", "note": "y"},
			},
		} {
			b.change(reg, func(s *v1alpha1.ClusterRegistrationSpec) {
				s.ClusterLabels, s.ClusterAnnotations = step.labels, step.annotations
			})
			secret, _ := b.credential(reg)
			maps.DeleteFunc(secret.Labels, ofProduct)
			maps.DeleteFunc(secret.Annotations, ofProduct)
			Expect(secret.Labels).To(Equal(step.wanted))
			Expect(secret.Annotations).To(Equal(step.wantedNote))
			Expect(repairsIn(b.events())).To(BeEmpty())
			Expect(writesOf(b.onInfra.take())).To(BeEmpty())
		}
		b.expectQuiet(reg)
	})
})

func ofProduct(key, _ string) bool { return strings.HasPrefix(key, "ccluster.nvidia.com/") }
