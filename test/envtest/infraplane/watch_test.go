// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane_test

import (
	"context"
	"net/netip"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/infraplane"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// startManager runs the controller with its watches until the spec ends.
func startManager(ctx context.Context, cfg *rest.Config, options infraplane.Options) {
	GinkgoHelper()
	scheme, err := ccluster.NewScheme()
	Expect(err).NotTo(HaveOccurred())
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:      cache.Options{ByObject: infraplane.SecretCache()},
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	clusters, err := infraplane.ClusterCache(cfg, scheme, infraplane.DefaultArgoCDNamespace)
	Expect(err).NotTo(HaveOccurred())
	Expect(mgr.Add(clusters)).To(Succeed())
	watch := infraplane.NewWatch(cfg, scheme, 100*time.Millisecond, nil)
	Expect(mgr.Add(watch)).To(Succeed())
	pool, err := remote.NewPool(remote.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(pool.Close)
	r, err := infraplane.New(infraplane.Dependencies{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clusters: clusters, Pool: pool,
		Recorder: mgr.GetEventRecorder("infraplane"), Clock: clock.RealClock{},
	}, options)
	Expect(err).NotTo(HaveOccurred())
	Expect(r.SetupWithManager(ctx, mgr, clusters, watch)).To(Succeed())
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- mgr.Start(life) }()
	DeferCleanup(func() {
		end()
		Expect(<-done).To(Succeed())
	})
}

var _ = Describe("Argo CD", Serial, func() {
	It("may come, be changed and go while the manager runs", func(ctx SpecContext) {
		bare, err := localplane.Start(context.WithoutCancel(ctx), localplane.Options{Name: "bare", CRDs: []string{"../../../config/crd/bases"}})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx SpecContext) { Expect(bare.Stop(ctx)).To(Succeed()) })
		h := &harness{ctx: ctx, kube: adminOf(bare), plane: adminOf(infra), namespace: "tenant-a", argo: infraplane.DefaultArgoCDNamespace}
		namespace := func(name string) *corev1.Namespace {
			return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		}
		Expect(h.kube.Create(ctx, namespace("tenant-a"))).To(Succeed())
		// Nothing is looked at for a minute but by a watch.
		startManager(ctx, bare.Config(), infraplane.Options{SourceRepos: []string{repo}, CheckPeriod: time.Hour})

		token := h.token()
		Expect(h.kube.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant-a", Name: "edge-credentials"}, Data: data(token)})).To(Succeed())
		plane := &v1alpha1.CCLInfraPlane{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant-a", Name: "edge"}}
		plane.Spec.ClusterCredentialsRef.Name = "edge-credentials"
		Expect(h.kube.Create(ctx, plane)).To(Succeed())
		reason := func(want string) {
			GinkgoHelper()
			Eventually(func(g Gomega) {
				live := &v1alpha1.CCLInfraPlane{}
				g.Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(plane), live)).To(Succeed())
				c := conditions.Find(live.Status.Conditions, v1alpha1.ConditionAvailable)
				g.Expect(c).NotTo(BeNil())
				g.Expect(c.Reason).To(Equal(want), c.Message)
			}).Should(Succeed())
		}
		reason(v1alpha1.ReasonArgoCDNotInstalled)

		By("installing it")
		Expect(h.kube.Create(ctx, namespace(h.argo))).To(Succeed())
		crds := []string{localargo.CRDs("../../..")}
		install := func() {
			GinkgoHelper()
			_, err := envtest.InstallCRDs(bare.Config(), envtest.CRDInstallOptions{Paths: crds, ErrorIfPathMissing: true})
			Expect(err).NotTo(HaveOccurred())
		}
		install()
		reason(v1alpha1.ReasonAvailable)

		By("editing what was made in it")
		secret := h.mirror(plane)
		whole := secret.DeepCopy()
		edit(h, secret, func(s *corev1.Secret) { s.Data["name"] = []byte("mine") })
		Eventually(func() map[string][]byte { return h.mirror(plane).Data }).Should(Equal(whole.Data))
		Expect(h.kube.Delete(ctx, secret)).To(Succeed())
		Eventually(func(g Gomega) {
			live := &corev1.Secret{}
			g.Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(secret), live)).To(Succeed())
			g.Expect(live.UID).NotTo(Equal(secret.UID))
			g.Expect(live.Data).To(Equal(whole.Data))
		}).Should(Succeed())
		project := h.project()
		spec := project.Object["spec"]
		edit(h, project, func(u *unstructured.Unstructured) {
			Expect(unstructured.SetNestedStringSlice(u.Object, []string{"*"}, "spec", "sourceRepos")).To(Succeed())
		})
		Eventually(func() any { return h.project().Object["spec"] }).Should(Equal(spec))
		Expect(h.kube.Delete(ctx, h.project())).To(Succeed())
		Eventually(func(g Gomega) {
			live := argocd.NewProjectObject()
			g.Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(project), live)).To(Succeed())
			g.Expect(live.GetUID()).NotTo(Equal(project.GetUID()))
		}).Should(Succeed())

		By("removing it and bringing it back")
		definitions := &apiextensionsv1.CustomResourceDefinitionList{}
		extensions, err := client.New(bare.Config(), client.Options{Scheme: extensionScheme()})
		Expect(err).NotTo(HaveOccurred())
		Expect(extensions.List(ctx, definitions)).To(Succeed())
		for i := range definitions.Items {
			if definitions.Items[i].Spec.Group == argocd.GroupVersion.Group {
				Expect(extensions.Delete(ctx, &definitions.Items[i])).To(Succeed())
			}
		}
		reason(v1alpha1.ReasonArgoCDNotInstalled)
		Eventually(func(g Gomega) {
			g.Expect(extensions.List(ctx, definitions)).To(Succeed())
			g.Expect(definitions.Items).To(HaveEach(HaveField("Spec.Group", Not(Equal(argocd.GroupVersion.Group)))))
		}).Should(Succeed())
		install()
		reason(v1alpha1.ReasonAvailable)
		Expect(h.project().Object["spec"]).To(Equal(spec))

		By("deleting the plane: the last Application's end is noticed")
		app := h.application("tenant-a", "app", "ccluster-tenant-a", map[string]any{"name": "tenant-a.edge"})
		Expect(h.kube.Delete(ctx, plane)).To(Succeed())
		reason(v1alpha1.ReasonDraining)
		Expect(h.kube.Delete(ctx, app)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(h.kube.Get(ctx, client.ObjectKeyFromObject(plane), plane))
		}).Should(BeTrue())
		Expect(h.clusterSecrets()).To(BeEmpty())
		Expect(h.projectGone()).To(BeTrue())
	})
})

func extensionScheme() *runtime.Scheme {
	GinkgoHelper()
	scheme := runtime.NewScheme()
	Expect(apiextensionsv1.AddToScheme(scheme)).To(Succeed())
	return scheme
}
