// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"net"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// theft is something that somebody does to a registration's objects on the control plane.
type theft struct {
	name string
	// do returns the object that was damaged.
	do     func(*bench, *v1alpha1.ClusterRegistration) client.Object
	event  string
	writes []string
}

func credentials(reg *v1alpha1.ClusterRegistration) *corev1.Secret {
	return named(&corev1.Secret{}, client.ObjectKey{Namespace: reg.Namespace, Name: reg.Name + "-credentials"})
}

func planeOf(reg *v1alpha1.ClusterRegistration) *v1alpha1.CCLInfraPlane {
	return named(&v1alpha1.CCLInfraPlane{}, client.ObjectKeyFromObject(reg))
}

const (
	secretRepaired = "Normal Repaired Secret edge-credentials had been changed or deleted and is as it should be again"
	planeRepaired  = "Normal Repaired CCLInfraPlane edge had been changed or deleted and is as it should be again"
)

func secretEdited(name string, change func(*corev1.Secret)) theft {
	return theft{
		name: "credentials Secret, " + name, event: secretRepaired, writes: []string{"apply Secret edge-credentials"},
		do: func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			GinkgoHelper()
			return edit(b.ctx, b.kube, credentials(reg), change)
		},
	}
}

func elsewhere(s *corev1.Secret) { s.Data["server"] = []byte("https://127.0.0.1:1") }
func blanked(s *corev1.Secret)   { s.Data["config"] = nil }
func unlisted(s *corev1.Secret)  { delete(s.Labels, v1alpha1.ManagedLabel) }

var thefts = []theft{
	{
		name: "credentials Secret, deleted", event: secretRepaired,
		// The finalizer has to be taken off before it can be made anew.
		writes: []string{"apply Secret edge-credentials", "apply Secret edge-credentials"},
		do: func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			GinkgoHelper()
			secret := credentials(reg)
			Expect(b.kube.Delete(b.ctx, secret)).To(Succeed())
			return secret
		},
	},
	secretEdited("another server", elsewhere),
	secretEdited("no server", func(s *corev1.Secret) { delete(s.Data, "server") }),
	secretEdited("config blanked", blanked),
	secretEdited("another token", func(s *corev1.Secret) {
		s.Data["config"] = []byte(`{"bearerToken":"x","tlsClientConfig":{"insecure":false}}`)
	}),
	secretEdited("label removed", unlisted),
	secretEdited("annotations removed", func(s *corev1.Secret) { s.Annotations = nil }),
	secretEdited("finalizer removed", func(s *corev1.Secret) { s.Finalizers = nil }),
	{
		name: "CCLInfraPlane, deleted", event: planeRepaired, writes: []string{"apply CCLInfraPlane edge"},
		do: func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			GinkgoHelper()
			plane := planeOf(reg)
			Expect(b.kube.Delete(b.ctx, plane)).To(Succeed())
			return plane
		},
	},
	{
		name: "CCLInfraPlane, of other credentials", event: planeRepaired, writes: []string{"apply CCLInfraPlane edge"},
		do: func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			GinkgoHelper()
			return edit(b.ctx, b.kube, planeOf(reg), func(p *v1alpha1.CCLInfraPlane) { p.Spec.ClusterCredentialsRef.Name = "other" })
		},
	},
	{
		name: "CCLInfraPlane, in-cluster", event: planeRepaired, writes: []string{"apply CCLInfraPlane edge"},
		do: func(b *bench, reg *v1alpha1.ClusterRegistration) client.Object {
			GinkgoHelper()
			return edit(b.ctx, b.kube, planeOf(reg), func(p *v1alpha1.CCLInfraPlane) { p.Spec.ClusterCredentialsRef.Name = "" })
		},
	},
}

// controlContent is what is wanted of a registration's objects on the control plane.
type controlContent struct {
	Data                map[string][]byte
	Labels, Annotations map[string]string
	Finalizers          []string
	Owner, PlaneOwner   metav1.OwnerReference
	Reference           string
}

func (b *bench) controlContent(reg *v1alpha1.ClusterRegistration) controlContent {
	GinkgoHelper()
	secret, plane := credentials(reg), planeOf(reg)
	Expect(b.kube.Get(b.ctx, client.ObjectKeyFromObject(secret), secret)).To(Succeed())
	Expect(b.kube.Get(b.ctx, client.ObjectKeyFromObject(plane), plane)).To(Succeed())
	Expect(secret.DeletionTimestamp).To(BeNil())
	Expect(secret.OwnerReferences).To(HaveLen(1))
	Expect(plane.OwnerReferences).To(HaveLen(1))
	return controlContent{
		Data: secret.Data, Labels: secret.Labels, Annotations: secret.Annotations, Finalizers: secret.Finalizers,
		Owner: secret.OwnerReferences[0], PlaneOwner: plane.OwnerReferences[0], Reference: plane.Spec.ClusterCredentialsRef.Name,
	}
}

// rest does the check that is due, so that there is none for a while.
func (b *bench) rest(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	Expect(b.pass(reg).RequeueAfter).To(Equal(b.checkPeriod()))
	b.forgetPast()
}

var _ = Describe("What was damaged on the control plane", func() {
	for _, d := range thefts {
		It(d.name+": comes back from memory in one pass", func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.bringUp("edge")
			b.rest(reg)
			before := b.controlContent(reg)
			b.catchUp(d.do(b, reg))
			b.pass(reg)
			Expect(b.controlContent(reg)).To(Equal(before))
			Expect(b.onInfra.take()).To(BeEmpty())
			writes, events := b.onControl.take(), b.events()
			AddReportEntry("repair", fmt.Sprintf("1 pass, %v, %v", writes, events), ReportEntryVisibilityFailureOrVerbose)
			Expect(writes).To(Equal(d.writes))
			Expect(events).To(Equal([]string{d.event}))
			Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue())

			By("writing nothing more")
			b.catchUp(credentials(reg))
			b.catchUp(planeOf(reg))
			b.pass(reg)
			Expect(b.onInfra.take()).To(BeEmpty())
			Expect(b.onControl.take()).To(BeEmpty())
			Expect(b.events()).To(BeEmpty())
		})

		It(d.name+": comes back although the plane is away and the bootstrap Secret is gone", func(ctx SpecContext) {
			b := newBench(ctx)
			front := b.through()
			reg := b.bringUp("edge")
			b.removeBootstrap(reg)
			front.Drop()
			for range 3 {
				b.must(client.ObjectKeyFromObject(reg))
			}
			b.pass(reg)
			Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReachable)).To(BeFalse())
			b.forgetPast()
			before, status := b.controlContent(reg), reg.DeepCopy()
			b.catchUp(d.do(b, reg))
			b.pass(reg)
			Expect(b.onInfra.take()).To(BeEmpty())
			Expect(b.controlContent(reg)).To(Equal(before))
			Expect(b.onControl.take()).To(Equal(d.writes))
			Expect(b.events()).To(Equal([]string{d.event}))
			Expect(reg.Status).To(Equal(status.Status))
			front.Resume()
			b.catchUp(credentials(reg))
			b.catchUp(planeOf(reg))
			b.ready(client.ObjectKeyFromObject(reg))
		})

		It(d.name+": comes back with the bootstrap Secret although nothing is remembered", func(ctx SpecContext) {
			b := newBench(ctx)
			reg := b.bringUp("edge")
			before := b.controlContent(reg)
			b.catchUp(d.do(b, reg))
			b.restart()
			b.pass(reg)
			Expect(b.controlContent(reg)).To(Equal(before))
			Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue(), "%v", reg.Status.Conditions)
			Expect(writesOf(b.onInfra.take())).To(BeEmpty())
		})
	}

	It("keeps what others have added", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge", func(r *v1alpha1.ClusterRegistration) {
			r.Spec.ClusterLabels = map[string]v1alpha1.LabelValue{"tier": "gold"}
			r.Spec.ClusterAnnotations = map[string]v1alpha1.AnnotationValue{"contact": "ops"}
		})
		b.rest(reg)
		b.catchUp(edit(ctx, b.kube, credentials(reg), func(s *corev1.Secret) {
			s.Labels["team"], s.Annotations["note"] = "x", "y"
			s.Data["project"] = []byte("theirs")
		}))
		b.catchUp(edit(ctx, b.kube, planeOf(reg), func(p *v1alpha1.CCLInfraPlane) { p.Labels = map[string]string{"team": "x"} }))
		b.pass(reg)
		Expect(b.onControl.take()).To(BeEmpty())

		By("undoing only what is the registration's")
		b.catchUp(edit(ctx, b.kube, credentials(reg), func(s *corev1.Secret) {
			s.Labels["tier"] = "lead"
			delete(s.Annotations, "contact")
		}))
		b.pass(reg)
		Expect(b.onControl.take()).To(Equal([]string{"apply Secret edge-credentials"}))
		Expect(b.events()).To(Equal([]string{secretRepaired}))
		after := b.controlContent(reg)
		Expect(after.Labels).To(Equal(map[string]string{"tier": "gold", "team": "x", v1alpha1.ManagedLabel: v1alpha1.ManagedCredentials}))
		Expect(after.Annotations).To(And(HaveKeyWithValue("contact", "ops"), HaveKeyWithValue("note", "y")))
		Expect(string(after.Data["project"])).To(Equal("theirs"))
		Expect(b.onInfra.take()).To(BeEmpty())
	})

	It("is made anew when a finalizer of somebody else lets it go", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		b.rest(reg)
		before := b.controlContent(reg)
		held := func(o client.Object) { o.SetFinalizers(append(o.GetFinalizers(), "example.com/held")) }
		freed := func(o client.Object) {
			o.SetFinalizers(slices.DeleteFunc(o.GetFinalizers(), func(f string) bool { return f == "example.com/held" }))
		}

		By("holding the CCLInfraPlane")
		plane := edit(ctx, b.kube, planeOf(reg), func(p *v1alpha1.CCLInfraPlane) { held(p) })
		Expect(b.kube.Delete(ctx, plane)).To(Succeed())
		b.catchUp(plane)
		b.pass(reg)
		applied := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionCredentialsApplied)
		Expect([]string{string(applied.Status), applied.Reason, applied.Message}).To(Equal([]string{
			"False", v1alpha1.ReasonDraining, "CCLInfraPlane edge is being deleted and will be made again once it is gone",
		}))
		b.catchUp(edit(ctx, b.kube, plane, func(p *v1alpha1.CCLInfraPlane) { freed(p) }))
		b.pass(reg)
		Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue(), "%v", reg.Status.Conditions)
		Expect(b.controlContent(reg)).To(Equal(before))
		b.catchUp(planeOf(reg))

		By("holding the Secret")
		secret := edit(ctx, b.kube, credentials(reg), func(s *corev1.Secret) { held(s) })
		Expect(b.kube.Delete(ctx, secret)).To(Succeed())
		b.catchUp(secret)
		b.pass(reg)
		Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionCredentialsApplied)).To(BeFalse())
		edit(ctx, b.kube, secret, func(s *corev1.Secret) { freed(s) })
		b.catchUp(secret)
		b.ready(client.ObjectKeyFromObject(reg))
		Expect(b.controlContent(reg)).To(Equal(before))
	})

	It("is used by nobody but whom it was made for: an edited server gets no token", func(ctx SpecContext) {
		for _, kept := range []bool{true, false} {
			b := newBench(ctx)
			b.through()
			reg := b.bringUp("edge")
			before := b.controlContent(reg)
			address, dialled := trap(ctx)
			secret := edit(ctx, b.kube, credentials(reg), func(s *corev1.Secret) { s.Data["server"] = []byte(address) })
			// Whoever can do that can do it in our name.
			claim, err := corev1ac.ExtractSecret(secret, registration.Owner)
			Expect(err).NotTo(HaveOccurred())
			claim.WithData(secret.Data)
			Expect(b.kube.Apply(ctx, claim, client.FieldOwner(registration.Owner), client.ForceOwnership)).To(Succeed())
			b.catchUp(edit(ctx, b.kube, secret, func(*corev1.Secret) {}))
			if !kept {
				b.removeBootstrap(reg)
			}
			b.restart()
			if !kept {
				b.pass(reg)
				bootstrap := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionBootstrapAccepted)
				Expect([]string{string(bootstrap.Status), bootstrap.Reason}).To(Equal([]string{"False", v1alpha1.ReasonReferenceNotFound}))
				Expect(b.onInfra.take()).To(BeEmpty())
				b.bootstrap("edge-kubeconfig", b.kubeconfig)
			}
			b.pass(reg)
			Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue(), "%v", reg.Status.Conditions)
			Expect(b.controlContent(reg)).To(Equal(before))
			Expect(dialled()).To(BeZero())
		}
	})

	It("is found again without its label, and without memory and bootstrap Secret", func(ctx SpecContext) {
		b := newBench(ctx)
		reg := b.bringUp("edge")
		before := b.controlContent(reg)
		b.removeBootstrap(reg)
		b.catchUp(edit(ctx, b.kube, credentials(reg), unlisted))
		b.restart()
		b.pass(reg)
		Expect(conditions.IsTrue(reg.Status.Conditions, v1alpha1.ConditionReady)).To(BeTrue(), "%v", reg.Status.Conditions)
		Expect(b.controlContent(reg)).To(Equal(before))
	})
})

// trap listens on loopback and counts who connects.
func trap(ctx SpecContext) (address string, dialled func() int) {
	GinkgoHelper()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	log, done := &callLog{}, make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			log.add("dialled")
			_ = conn.Close()
		}
	}()
	DeferCleanup(func() {
		Expect(listener.Close()).To(Succeed())
		<-done
	})
	return "https://" + listener.Addr().String(), func() int { return len(log.peek()) }
}
