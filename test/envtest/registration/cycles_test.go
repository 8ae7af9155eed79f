// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// cycles is how often one name is created and deleted, and untilReady that a registration is not
// deleted before it is Ready.
const (
	cycles     = 20
	untilReady = -1
)

// cycle is one life of the name.
type cycle struct {
	kind v1alpha1.TokenType
	// passes are done before the registration is deleted.
	passes int
	// proven tells that the proof of the revocation is waited for, which takes an API server's
	// ten seconds; the others are cut short by the clock.
	proven bool
}

func (c cycle) String() string {
	when := fmt.Sprintf("after %d passes", c.passes)
	if c.passes == untilReady {
		when = "when Ready"
	}
	return fmt.Sprintf("%s, deleted %s, proof %t", c.kind, when, c.proven)
}

// cycleAt alternates the kinds; what is deleted early is more often than what got Ready.
func cycleAt(i int) cycle {
	passes := []int{0, 1, 2, 3, untilReady}
	return cycle{
		kind:   []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound}[i%2],
		passes: passes[i/2%len(passes)],
		proven: i/2 == cycles/2-1,
	}
}

// expire moves the clock to where a deletion gives up waiting.
func (b *bench) expire(reg *v1alpha1.ClusterRegistration) {
	b.clock.SetTime(reg.DeletionTimestamp.Add(11 * time.Minute))
}

// leave deletes a registration and does the passes that it takes. Without proof only the removal is
// awaited, and the clock then ends the wait. It returns the events.
func (b *bench) leave(reg *v1alpha1.ClusterRegistration, proven bool) []string {
	GinkgoHelper()
	Expect(b.kube.Delete(b.ctx, reg)).To(Succeed())
	key := client.ObjectKeyFromObject(reg)
	Eventually(func(g Gomega) {
		left := b.kube.Get(b.ctx, key, reg)
		if left == nil {
			result := b.pass(reg)
			left = b.kube.Get(b.ctx, key, reg)
			switch {
			case left != nil:
			case !proven && !b.hasAccount(reg):
				b.expire(reg)
			case !strings.HasSuffix(conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady).Message, "still accepts the token"):
				// Until then the plane takes its own time.
				b.advance(result.RequeueAfter)
			}
		}
		g.Expect(apierrors.IsNotFound(left)).To(BeTrue())
	}).Should(Succeed())
	return b.events()
}

func (b *bench) hasAccount(reg *v1alpha1.ClusterRegistration) bool {
	GinkgoHelper()
	err := b.plane.Get(b.ctx, accountKey(reg, ""), &corev1.ServiceAccount{})
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	return err == nil
}

// uids are the UIDs of what carries this control plane's marker.
func (b *bench) uids() map[string]types.UID {
	GinkgoHelper()
	uids := map[string]types.UID{}
	for _, obj := range b.marked(b.ctx) {
		uids[describeObjects([]client.Object{obj})[0]] = obj.GetUID()
	}
	return uids
}

// expectNoTrace looks at both planes past all caches: nothing is left but the bootstrap Secret.
func (b *bench) expectNoTrace(bootstrap *corev1.Secret) {
	GinkgoHelper()
	b.expectNothingMarked(b.ctx)
	for list, want := range map[client.ObjectList]OmegaMatcher{
		&v1alpha1.ClusterRegistrationList{}: BeEmpty(),
		&v1alpha1.CCLInfraPlaneList{}:       BeEmpty(),
		&corev1.SecretList{}:                Equal([]string{client.ObjectKeyFromObject(bootstrap).String()}),
	} {
		Expect(b.kube.List(b.ctx, list, client.InNamespace(b.namespace))).To(Succeed())
		Expect(itemsOf(list)).To(want, "%T", list)
	}
	b.expectUntouched(b.kube, bootstrap)
}

var _ = Describe("A name that is registered and deleted again and again", func() {
	It("starts anew each time and leaves nothing", func(ctx SpecContext) {
		b := newBench(ctx)
		bootstrap := b.bootstrap("edge-kubeconfig", b.kubeconfig)
		start := b.clock.Now()
		var tokens []credential
		accounts := map[string]int{}
		for i := range cycles {
			c := cycleAt(i)
			By(fmt.Sprintf("%d: %s", i, c))
			b.clock.SetTime(start)
			reg := b.createBare("edge", ofKind(c.kind))
			key := client.ObjectKeyFromObject(reg)
			if c.passes == untilReady {
				reg = b.ready(key)
				Expect(reg.Status.Token.Type).To(Equal(c.kind))
				Expect(reg.Status.Token.SecretName).To(Equal(accountKey(reg, "-token").Name), "the first of this life")
				accounts[reg.Status.ServiceAccount.UID]++
			}
			for range max(c.passes, 0) {
				b.must(key)
			}
			if token, stored := b.storedToken(reg); stored {
				Expect(b.whoami(token)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
				tokens = append(tokens, token)
			}
			events := b.leave(reg, c.proven)
			Expect(events).NotTo(ContainElement(HavePrefix("Warning RevocationIncomplete")))
			if c.proven {
				Expect(events).NotTo(ContainElement(ContainSubstring("could not be seen to refuse")))
			}
			b.expectNoTrace(bootstrap)
		}

		By("keeping no token of an earlier life alive when there is one again")
		b.clock.SetTime(start)
		reg := b.ready(client.ObjectKeyFromObject(b.createBare("edge")))
		Expect(len(tokens)).To(BeNumerically(">=", 10), "the more interesting half got as far as a token")
		for _, token := range tokens {
			Eventually(func() bool { return apierrors.IsUnauthorized(token.client().List(ctx, &corev1.NodeList{})) }).Should(BeTrue())
		}
		accounts[reg.Status.ServiceAccount.UID]++
		for uid, times := range accounts {
			Expect(times).To(Equal(1), uid)
		}
		b.forgetPast()
		b.expectQuiet(reg)
	})

	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		It("does not wait for the garbage collector: "+string(kind), func(ctx SpecContext) {
			b := newBench(ctx)
			kubeconfig := b.kubeconfig
			first := b.bringUp("edge", ofKind(kind))
			_, old := b.credential(first)
			b.removeBootstrap(first)
			Expect(infra.StopControllerManager()).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(infra.StartControllerManager(ctx)).To(Succeed()) })
			Expect(b.leave(first, false)).NotTo(ContainElement(HavePrefix("Warning RevocationIncomplete")))
			b.catchUp(credentials(first))
			b.catchUp(planeOf(first))
			self := accountKey(first, "-self").String()
			Expect(describeObjects(b.marked(ctx))).To(Equal([]string{
				"Role " + self, "RoleBinding " + self, "Secret kube-system/" + first.Status.Token.SecretName,
			}), "what the garbage collector takes, or the token controller")

			By("registering it again while all of that is there")
			b.clock.SetTime(time.Now())
			b.bootstrap("edge-kubeconfig", kubeconfig)
			again := b.createBare("edge", ofKind(kind))
			for range 3 {
				b.must(client.ObjectKeyFromObject(again))
			}
			Expect(infra.StartControllerManager(ctx)).To(Succeed())
			again = b.ready(client.ObjectKeyFromObject(again))
			b.audited(again)

			By("keeping all that is new")
			whole := b.uids()
			Expect(whole).To(HaveLen(6))
			Consistently(b.uids).Should(Equal(whole))
			_, cred := b.credential(again)
			Expect(b.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + again.Spec.ServiceAccount.Name))
			Expect(again.Status.ServiceAccount.UID).NotTo(Equal(first.Status.ServiceAccount.UID))
			Eventually(func() bool { return apierrors.IsUnauthorized(old.client().List(ctx, &corev1.NodeList{})) }).Should(BeTrue())
			b.expectQuiet(again)
		})
	}
})

// storedToken is the credential of a registration, if there is one yet.
func (b *bench) storedToken(reg *v1alpha1.ClusterRegistration) (credential, bool) {
	GinkgoHelper()
	secret := credentials(reg)
	err := b.kube.Get(b.ctx, client.ObjectKeyFromObject(secret), secret)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil {
		return credential{}, false
	}
	_, cred := b.credential(reg)
	return cred, true
}

// deletable are the objects that somebody may delete in any order, by a letter.
var deletable = map[rune]func(*v1alpha1.ClusterRegistration) client.Object{
	'R': func(reg *v1alpha1.ClusterRegistration) client.Object {
		return named(&v1alpha1.ClusterRegistration{}, client.ObjectKeyFromObject(reg))
	},
	'C': func(reg *v1alpha1.ClusterRegistration) client.Object { return credentials(reg) },
	'B': func(reg *v1alpha1.ClusterRegistration) client.Object { return kubeconfigSecret(reg) },
	'P': func(reg *v1alpha1.ClusterRegistration) client.Object { return planeOf(reg) },
}

// orders are all orders of letters.
func orders(letters string) []string {
	if len(letters) < 2 {
		return []string{letters}
	}
	var all []string
	for i := range letters {
		for _, rest := range orders(letters[:i] + letters[i+1:]) {
			all = append(all, letters[i:i+1]+rest)
		}
	}
	return all
}

var _ = Describe("Registration, credentials Secret, bootstrap Secret and CCLInfraPlane", Ordered, ContinueOnFailure, func() {
	type departure struct {
		name, order string
		// meanwhile is done after each deletion.
		meanwhile func(*bench, *v1alpha1.ClusterRegistration)
		farewell  *farewell
	}
	var b *bench
	var departures []*departure
	for _, order := range orders("RCBP") {
		departures = append(departures,
			&departure{name: order + " at once", order: order, meanwhile: asItIs},
			&departure{name: order + " with passes in between", order: order, meanwhile: (*bench).passing},
		)
	}

	// An API server accepts a token for ten seconds after it has died: all are waited for together.
	BeforeAll(func(ctx SpecContext) {
		b = newBench(ctx, func(o *registration.Options) { o.AllowDuplicateClusters, o.RevokeTimeout = true, 1000*time.Hour })
		var farewells []*farewell
		for i, d := range departures {
			b.through()
			reg := b.bringUp(fmt.Sprintf("edge-%d", i), ofKind([]v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound}[i/2%2]))
			_, cred := b.credential(reg)
			d.farewell = &farewell{reg: reg, cred: cred, hash: b.marker(reg).Hash()}
			farewells = append(farewells, d.farewell)
		}
		for _, d := range departures {
			b.events()
			for _, letter := range d.order {
				Expect(client.IgnoreNotFound(b.kube.Delete(ctx, deletable[letter](d.farewell.reg)))).To(Succeed())
				d.meanwhile(b, d.farewell.reg)
			}
			d.farewell.events = b.events()
		}
		b.follow(farewells)
	})

	for _, d := range departures {
		It("are all gone when they are deleted in this order: "+d.name, func(ctx SpecContext) {
			b.ctx = ctx
			f := d.farewell
			for letter, find := range deletable {
				obj := find(f.reg)
				Expect(apierrors.IsNotFound(b.kube.Get(ctx, client.ObjectKeyFromObject(obj), obj))).To(BeTrue(), string(letter))
			}
			Expect(apierrors.IsUnauthorized(f.cred.client().List(ctx, &corev1.NodeList{}))).To(BeTrue(), "the token is refused")
			Eventually(func() []string { return describeObjects(b.markedBy(ctx, f.hash)) }).Should(BeEmpty())
			Expect(f.reasons).To(ContainElement(v1alpha1.ReasonRevocationUnproven), "it was proven")
			for _, event := range f.events {
				Expect(event).NotTo(HavePrefix("Warning RevocationIncomplete"))
				Expect(event).NotTo(ContainSubstring("could not be seen to refuse"))
				Expect(event).NotTo(ContainSubstring(v1alpha1.ReasonBootstrapRequired))
			}
			repairs := repairsIn(f.events)
			if strings.HasPrefix(d.order, "R") || strings.HasSuffix(d.name, "at once") {
				Expect(repairs).To(BeEmpty(), "what goes is not mended")
				return
			}
			wanted := []string{}
			beforeRegistration, _, _ := strings.Cut(d.order, "R")
			for _, letter := range beforeRegistration {
				switch letter {
				case 'C':
					wanted = append(wanted, "Normal Repaired Secret "+credentials(f.reg).Name+" had been changed or deleted and is as it should be again")
				case 'P':
					wanted = append(wanted, "Normal Repaired CCLInfraPlane "+f.reg.Name+" had been changed or deleted and is as it should be again")
				}
			}
			Expect(repairs).To(Equal(wanted), "what is deleted before the registration is made anew")
		})
	}
})

// passing lets the reconciler see a deletion and do what it does about it.
func (b *bench) passing(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	for range 2 {
		b.catchUp(credentials(reg))
		b.catchUp(planeOf(reg))
		if apierrors.IsNotFound(b.kube.Get(b.ctx, client.ObjectKeyFromObject(reg), &v1alpha1.ClusterRegistration{})) {
			return
		}
		b.pass(reg)
	}
}
