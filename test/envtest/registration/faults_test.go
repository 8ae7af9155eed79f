// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// maxCalls is far above what a registration takes: the specs end when the fuse holds.
const maxCalls = 60

var _ = Describe("A reconciler killed at any call", Serial, func() {
	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		for _, before := range []bool{true, false} {
			when := map[bool]string{true: "before the call", false: "after the call"}[before]
			It(fmt.Sprintf("ends with one of everything: %s, %s", kind, when), func(ctx SpecContext) {
				f := &fuse{}
				h := newFusedHarness(ctx, f)
				server, token := f.front(), h.adminToken(ctx)
				survived := 0
				var deleted []cutOff
				for at := 1; at <= maxCalls; at++ {
					By(fmt.Sprintf("killing it at call %d", at))
					name := fmt.Sprintf("edge-%d", at)
					reg := h.fusedRegistration(name, kind, frontKubeconfig(server, name, token))
					f.arm(at, before)
					killed := h.runUntilBlown(f, reg)
					f.arm(0, false)
					h.replace()
					reg = h.ready(client.ObjectKeyFromObject(reg))
					h.expectOneOfEverything(reg, kind)
					f.arm(at, before)
					Expect(h.kube.Delete(ctx, reg)).To(Succeed())
					h.runUntilBlown(f, reg)
					f.arm(0, false)
					h.replace()
					deleted = append(deleted, cutOff{reg: reg, reconciler: h.reconciler, id: h.options.ControlPlaneID})
					if !killed {
						break
					}
					survived++
				}
				// All together: that a token is refused takes an API server ten seconds.
				for _, d := range deleted {
					h.reconciler, h.options.ControlPlaneID = d.reconciler, d.id
					h.gone(client.ObjectKeyFromObject(d.reg))
					h.expectNothingLeft(d.reg)
				}
				h.expectNoCredentials()
				AddReportEntry("killed", fmt.Sprintf("%s, %s: %d kills", kind, when, survived), ReportEntryVisibilityAlways)
				Expect(survived).To(And(BeNumerically(">", 15), BeNumerically("<", maxCalls)))
			})
		}
	}
})

// cutOff is a registration whose deletion was cut off, and who goes on with it.
type cutOff struct {
	reg        *v1alpha1.ClusterRegistration
	reconciler *registration.Reconciler
	id         string
}

func newFusedHarness(ctx SpecContext, f *fuse) *harness {
	GinkgoHelper()
	h := newHarness(ctx, patient)
	cfg := rest.CopyConfig(control.Config())
	cfg.Wrap(f.wrap)
	h.connect(cfg)
	h.replace()
	return h
}

// replace is another process taking over: no memory and no connections.
func (h *harness) replace() {
	GinkgoHelper()
	pool, err := remote.NewPool(loopbackPolicy(), remote.WithUserAgent(remoteAgent))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(pool.Close)
	h.pool = pool
	h.restart()
}

func (h *harness) fusedRegistration(name string, kind v1alpha1.TokenType, kubeconfig []byte) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	h.options.ControlPlaneID = h.namespace + "-" + name
	h.bootstrap(name+"-kubeconfig", kubeconfig)
	reg := h.registration(name, func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: kind} })
	Expect(h.kube.Create(h.ctx, reg)).To(Succeed())
	h.replace()
	return reg
}

// runUntilBlown does passes until the fuse blows, and reports whether it did before the
// registration was Ready, or gone.
func (h *harness) runUntilBlown(f *fuse, reg *v1alpha1.ClusterRegistration) bool {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(reg)
	Eventually(func(g Gomega) {
		// What a dying process returns is nobody's business.
		_, _ = h.once(key)
		if f.isBlown() {
			return
		}
		live := &v1alpha1.ClusterRegistration{}
		err := h.kube.Get(h.ctx, key, live)
		if client.IgnoreNotFound(err) == nil && err != nil {
			return
		}
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(live.DeletionTimestamp.IsZero()).To(BeTrue(), "still there")
		g.Expect(isReady(live)).To(BeTrue(), "not ready")
	}).Should(Succeed())
	return f.isBlown()
}

func isReady(reg *v1alpha1.ClusterRegistration) bool {
	for _, c := range reg.Status.Conditions {
		if c.Type == v1alpha1.ConditionReady {
			return c.Status == metav1.ConditionTrue
		}
	}
	return false
}

// expectOneOfEverything looks at both planes past all caches.
func (h *harness) expectOneOfEverything(reg *v1alpha1.ClusterRegistration, kind v1alpha1.TokenType) {
	GinkgoHelper()
	marked := client.MatchingLabels(h.marker(reg).Labels())
	secrets := &corev1.SecretList{}
	for _, list := range []client.ObjectList{
		&corev1.ConfigMapList{}, &corev1.ServiceAccountList{}, &rbacv1.ClusterRoleBindingList{},
		&rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, secrets,
	} {
		Expect(h.plane.List(h.ctx, list, marked)).To(Succeed())
		Expect(itemsOf(list)).To(HaveLen(1), "%T", list)
	}
	stored, cred := h.credential(reg)
	Expect(stored.Annotations[v1alpha1.TokenSecretAnnotation]).To(Equal(secrets.Items[0].Name))
	Expect(reg.Status.Token.SecretName).To(Equal(secrets.Items[0].Name))
	if kind == v1alpha1.TokenLongLived {
		Expect(cred.Config.BearerToken).To(Equal(string(secrets.Items[0].Data["token"])))
	}
	Expect(h.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
	for _, list := range []client.ObjectList{&v1alpha1.CCLInfraPlaneList{}, &corev1.SecretList{}} {
		Expect(h.kube.List(h.ctx, list, client.InNamespace(h.namespace))).To(Succeed())
		owned := 0
		Expect(meta.EachListItem(list, func(o runtime.Object) error {
			if obj, ok := o.(client.Object); ok && metav1.IsControlledBy(obj, reg) {
				owned++
			}
			return nil
		})).To(Succeed())
		Expect(owned).To(Equal(1), "%T", list)
	}
	for _, c := range reg.Status.Conditions {
		if c.Type != v1alpha1.ConditionPlaneAvailable {
			Expect(c.Status).To(Equal(metav1.ConditionTrue), c.Type)
		}
	}
}

func (h *harness) expectNothingLeft(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	marked := client.MatchingLabels(h.marker(reg).Labels())
	Eventually(func(g Gomega) {
		for _, list := range []client.ObjectList{
			&corev1.ConfigMapList{}, &corev1.ServiceAccountList{}, &rbacv1.ClusterRoleBindingList{},
			&rbacv1.RoleList{}, &rbacv1.RoleBindingList{}, &corev1.SecretList{},
		} {
			g.Expect(h.plane.List(h.ctx, list, marked)).To(Succeed())
			g.Expect(itemsOf(list)).To(BeEmpty(), "%T", list)
		}
	}).Should(Succeed())
}

func (h *harness) expectNoCredentials() {
	GinkgoHelper()
	credentials := &corev1.SecretList{}
	Expect(h.kube.List(h.ctx, credentials, client.InNamespace(h.namespace), client.HasLabels{v1alpha1.ManagedLabel})).To(Succeed())
	Expect(itemsOf(credentials)).To(BeEmpty())
}

func (h *harness) marker(reg *v1alpha1.ClusterRegistration) provision.Marker {
	return provision.Marker{ControlPlaneID: h.options.ControlPlaneID, Registration: client.ObjectKeyFromObject(reg)}
}
