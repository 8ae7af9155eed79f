// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

var _ = Describe("Many registrations at once", Serial, func() {
	It("each get a token of their own plane and account", func(ctx SpecContext) {
		h := newHarness(ctx)
		second := testenv.Planes(GinkgoTB(), localplane.Options{Name: "second"})[0]
		startManager(ctx, registration.Options{
			ControlPlaneID: h.namespace, AllowDuplicateClusters: true, ReadyWithoutPlane: true,
		})
		namespaces := []string{h.namespace, testenv.Namespace(GinkgoTB(), h.kube), testenv.Namespace(GinkgoTB(), h.kube)}

		By("applying ten, on two planes, in three namespaces")
		registrations := map[*v1alpha1.ClusterRegistration]*localplane.Plane{}
		for i := range 10 {
			plane := []*localplane.Plane{infra, second}[i%2]
			front, err := plane.Front(ctx)
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(front.Close)
			kubeconfig, err := front.Kubeconfig()
			Expect(err).NotTo(HaveOccurred())
			h.namespace = namespaces[i%3]
			name := fmt.Sprintf("edge-%d", i)
			h.bootstrap(name+"-kubeconfig", kubeconfig)
			kind := []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound}[i/2%2]
			reg := h.registration(name, func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: kind} })
			Expect(h.kube.Create(ctx, reg)).To(Succeed())
			registrations[reg] = plane
		}

		By("waiting for all of them")
		for reg, plane := range registrations {
			Eventually(func(g Gomega) {
				g.Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
				g.Expect(isReady(reg)).To(BeTrue(), "%s: %v", reg.Name, reg.Status.Conditions)
			}).Should(Succeed())
			_, cred := h.credential(reg)
			Expect(cred.Server).To(Equal(reg.Status.Server))
			Expect(h.whoami(cred)).To(Equal("system:serviceaccount:kube-system:" + reg.Spec.ServiceAccount.Name))
			Expect(clusterUID(ctx, cred.client())).To(Equal(clusterUID(ctx, adminOf(plane))))
		}

		By("deleting all of them")
		for reg := range registrations {
			Expect(h.kube.Delete(ctx, reg)).To(Succeed())
		}
		for reg := range registrations {
			Eventually(func(g Gomega) {
				err := h.kube.Get(ctx, client.ObjectKeyFromObject(reg), reg)
				g.Expect(client.IgnoreNotFound(err)).To(Succeed())
				g.Expect(err).To(HaveOccurred(), "%s: %v", reg.Name, reg.Status.Conditions)
			}).WithTimeout(2 * time.Minute).Should(Succeed())
		}
		for _, plane := range []*localplane.Plane{infra, second} {
			accounts := &corev1.ServiceAccountList{}
			Expect(adminOf(plane).List(ctx, accounts, client.HasLabels{v1alpha1.MarkerLabel})).To(Succeed())
			Expect(itemsOf(accounts)).To(BeEmpty())
		}
	})
})

func clusterUID(ctx context.Context, c client.Client) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}
	Expect(c.Get(ctx, client.ObjectKeyFromObject(namespace), namespace)).To(Succeed())
	return string(namespace.UID)
}

// startManager runs the controller with its watches until it is stopped, at the latest when
// the spec ends.
func startManager(ctx context.Context, options registration.Options) (stop func()) {
	GinkgoHelper()
	scheme, err := ccluster.NewScheme()
	Expect(err).NotTo(HaveOccurred())
	cfg := rest.CopyConfig(control.Config())
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:      cacheOptions(),
		Controller: controllerOptions(),
	})
	Expect(err).NotTo(HaveOccurred())
	bootstraps, err := registration.BootstrapCache(cfg, scheme, nil)
	Expect(err).NotTo(HaveOccurred())
	Expect(mgr.Add(bootstraps)).To(Succeed())
	pool, err := remote.NewPool(loopbackPolicy(), remote.WithUserAgent(remoteAgent))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(pool.Close)
	r, err := registration.New(registration.Dependencies{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Pool: pool,
		Recorder: mgr.GetEventRecorder("registration"), Clock: clock.RealClock{},
	}, options)
	Expect(err).NotTo(HaveOccurred())
	Expect(r.SetupWithManager(ctx, mgr, bootstraps)).To(Succeed())
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- mgr.Start(life) }()
	stop = sync.OnceFunc(func() {
		end()
		Expect(<-done).To(Succeed())
	})
	DeferCleanup(stop)
	return stop
}

func cacheOptions() cache.Options { return cache.Options{ByObject: registration.SecretCache()} }

// controllerOptions lets several specs run a controller of the same name.
func controllerOptions() config.Controller { return config.Controller{SkipNameValidation: new(true)} }
