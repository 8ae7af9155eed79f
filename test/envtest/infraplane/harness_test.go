// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/infraplane"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

const repo = "https://charts.example.com/catalog"

// harness drives the reconciler by hand: nothing happens unless a spec asks for it.
type harness struct {
	ctx       context.Context //nolint:containedctx // a spec's context, and the harness is the spec's
	namespace string
	// argo is the namespace that stands for Argo CD's: each spec has one of its own.
	argo        string
	kube, plane client.Client
	clock       *testclock.FakePassiveClock
	recorder    *events.FakeRecorder
	options     infraplane.Options
	reconciler  *infraplane.Reconciler
	pool        *remote.Pool
	cached      client.Client
	live        client.Reader
	clusters    client.Reader
	calls       *calls
}

// calls counts requests to infra planes.
type calls struct{ made []string }

func newHarness(ctx context.Context, change ...func(*infraplane.Options)) *harness {
	GinkgoHelper()
	h := &harness{
		ctx: ctx, kube: adminOf(control), plane: adminOf(infra),
		clock: testclock.NewFakePassiveClock(time.Now()), recorder: events.NewFakeRecorder(1000), calls: &calls{},
	}
	h.namespace = testenv.Namespace(GinkgoTB(), h.kube) //nolint:contextcheck // the namespace outlives the spec's context
	h.argo = testenv.Namespace(GinkgoTB(), h.kube)      //nolint:contextcheck // as above
	h.options = infraplane.Options{ArgoCDNamespace: h.argo, SourceRepos: []string{repo}}
	for _, c := range change {
		c(&h.options)
	}
	h.connect() //nolint:contextcheck // h.ctx is the same
	h.dial(remote.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	return h
}

// connect makes the clients that the reconciler works with, caches included.
func (h *harness) connect() {
	GinkgoHelper()
	scheme, err := ccluster.NewScheme()
	Expect(err).NotTo(HaveOccurred())
	c, err := cluster.New(control.Config(), func(o *cluster.Options) {
		o.Scheme = scheme
		o.Cache.ByObject = infraplane.SecretCache()
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(infraplane.Index(h.ctx, c.GetFieldIndexer())).To(Succeed())
	clusters, err := infraplane.ClusterCache(control.Config(), scheme, h.argo)
	Expect(err).NotTo(HaveOccurred())
	life, end := context.WithCancel(context.WithoutCancel(h.ctx))
	done := make(chan error, 2)
	go func() { done <- c.Start(life) }()
	go func() { done <- clusters.Start(life) }()
	DeferCleanup(func() {
		end()
		Expect(<-done).To(Succeed())
		Expect(<-done).To(Succeed())
	})
	Expect(c.GetCache().WaitForCacheSync(h.ctx)).To(BeTrue())
	Expect(clusters.WaitForCacheSync(h.ctx)).To(BeTrue())
	h.cached, h.live, h.clusters = c.GetClient(), c.GetAPIReader(), clusters
}

// dial replaces the pool of connections and, with it, the reconciler.
func (h *harness) dial(policy remote.Policy) {
	GinkgoHelper()
	pool, err := remote.NewPool(policy, remote.WithObserver(func(op string, _ float64, kind remote.Kind) {
		if kind != remote.None {
			op += " " + string(kind)
		}
		h.calls.made = append(h.calls.made, op)
	}))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(pool.Close)
	h.pool = pool
	h.restart()
}

// restart replaces the reconciler by one that remembers nothing.
func (h *harness) restart() {
	GinkgoHelper()
	r, err := infraplane.New(infraplane.Dependencies{
		Client: h.cached, Live: h.live, Clusters: h.clusters, Pool: h.pool, Recorder: h.recorder, Clock: h.clock,
	}, h.options)
	Expect(err).NotTo(HaveOccurred())
	h.reconciler = r
}

func adminOf(p *localplane.Plane) client.Client {
	GinkgoHelper()
	scheme, err := ccluster.NewScheme()
	Expect(err).NotTo(HaveOccurred())
	c, err := client.New(p.Config(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// token is one of an account of the infra plane that may do everything.
func (h *harness) token() string {
	GinkgoHelper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "plane-"}}
	Expect(h.plane.Create(h.ctx, account)).To(Succeed())
	Expect(h.plane.Create(h.ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: account.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: account.Namespace, Name: account.Name}},
	})).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(h.plane.Delete(ctx, account))).To(Succeed()) })
	return tokenOf(h.ctx, h.plane, account)
}

// data is what a credentials Secret of the infra plane has in it.
func data(token string) map[string][]byte {
	GinkgoHelper()
	config, err := json.Marshal(map[string]any{
		"bearerToken": token, "tlsClientConfig": map[string]any{"insecure": false, "caData": infra.CAData()},
	})
	Expect(err).NotTo(HaveOccurred())
	return map[string][]byte{"server": []byte(infra.Server()), "config": config}
}

// make creates a plane with hand-made credentials.
func (h *harness) make(name string, content map[string][]byte, change ...func(*corev1.Secret)) *v1alpha1.CCLInfraPlane {
	GinkgoHelper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: name + "-credentials"}, Data: content}
	for _, c := range change {
		c(secret)
	}
	Expect(h.kube.Create(h.ctx, secret)).To(Succeed())
	return h.bare(name, secret.Name)
}

// bare creates a plane that names a Secret, or none.
func (h *harness) bare(name, secret string) *v1alpha1.CCLInfraPlane {
	GinkgoHelper()
	plane := &v1alpha1.CCLInfraPlane{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: name}}
	plane.Spec.ClusterCredentialsRef.Name = secret
	Expect(h.kube.Create(h.ctx, plane)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		h.ctx = ctx
		live := &v1alpha1.CCLInfraPlane{}
		if apierrors.IsNotFound(h.kube.Get(ctx, client.ObjectKeyFromObject(plane), live)) {
			return
		}
		Expect(client.IgnoreNotFound(h.kube.Delete(ctx, live))).To(Succeed())
		h.clock.SetTime(h.clock.Now().Add(24 * time.Hour))
		h.gone(client.ObjectKeyFromObject(plane))
	})
	return plane
}

// once does one pass and returns what it asks for. The clock moves by what is asked, so that the
// next pass is due.
func (h *harness) once(key types.NamespacedName) ctrl.Result {
	GinkgoHelper()
	plane := &v1alpha1.CCLInfraPlane{}
	err := h.kube.Get(h.ctx, key, plane)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}
	}
	Expect(err).NotTo(HaveOccurred())
	result, err := h.reconciler.Reconcile(h.ctx, plane)
	Expect(err).NotTo(HaveOccurred())
	h.clock.SetTime(h.clock.Now().Add(result.RequeueAfter))
	return result
}

// settle does passes until Available is as wanted.
func (h *harness) settle(plane *v1alpha1.CCLInfraPlane, status metav1.ConditionStatus, reason string) *v1alpha1.CCLInfraPlane {
	GinkgoHelper()
	live := &v1alpha1.CCLInfraPlane{}
	Eventually(func(g Gomega) {
		h.once(client.ObjectKeyFromObject(plane))
		g.Expect(h.kube.Get(h.ctx, client.ObjectKeyFromObject(plane), live)).To(Succeed())
		c := conditions.Find(live.Status.Conditions, v1alpha1.ConditionAvailable)
		g.Expect(c).NotTo(BeNil())
		g.Expect([]any{c.Status, c.Reason}).To(Equal([]any{status, reason}), "%s", c.Message)
		g.Expect(c.ObservedGeneration).To(Equal(live.Generation))
	}).Should(Succeed())
	return live
}

func (h *harness) available(plane *v1alpha1.CCLInfraPlane) *v1alpha1.CCLInfraPlane {
	GinkgoHelper()
	return h.settle(plane, metav1.ConditionTrue, v1alpha1.ReasonAvailable)
}

// gone does passes until the plane has been removed.
func (h *harness) gone(key types.NamespacedName) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		h.once(key)
		g.Expect(apierrors.IsNotFound(h.kube.Get(h.ctx, key, &v1alpha1.CCLInfraPlane{}))).To(BeTrue())
	}).Should(Succeed())
}

// mirror reads the cluster Secret of a plane.
func (h *harness) mirror(plane *v1alpha1.CCLInfraPlane) *corev1.Secret {
	GinkgoHelper()
	secret := &corev1.Secret{}
	Expect(h.kube.Get(h.ctx, client.ObjectKey{Namespace: h.argo, Name: argocd.ClusterName(plane.Namespace, plane.Name)}, secret)).To(Succeed())
	return secret
}

// clusterSecrets are the names of all cluster Secrets.
func (h *harness) clusterSecrets() []string {
	GinkgoHelper()
	list := &corev1.SecretList{}
	Expect(h.kube.List(h.ctx, list, client.InNamespace(h.argo), client.HasLabels{argocd.SecretTypeLabel})).To(Succeed())
	names := []string{}
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names
}

// project reads the AppProject of the namespace.
func (h *harness) project() *unstructured.Unstructured {
	GinkgoHelper()
	live := argocd.NewProjectObject()
	Expect(h.kube.Get(h.ctx, client.ObjectKey{Namespace: h.argo, Name: argocd.ProjectName(h.namespace)}, live)).To(Succeed())
	return live
}

// events are what was told since the last time.
func (h *harness) events() []string {
	var list []string
	for {
		select {
		case e := <-h.recorder.Events:
			list = append(list, e)
		default:
			return list
		}
	}
}

// connection is the one that a registration of the plane would use.
func (h *harness) connection(plane *v1alpha1.CCLInfraPlane) *remote.Conn {
	GinkgoHelper()
	cluster, err := argocd.ParseCluster(h.mirror(plane).Data)
	Expect(err).NotTo(HaveOccurred())
	conn, err := h.pool.Connect(client.ObjectKeyFromObject(plane), kubeconfig.Endpoint{
		Server: cluster.Server, CAData: cluster.Config.TLSClientConfig.CAData,
	}, kubeconfig.Credential{BearerToken: cluster.Config.BearerToken})
	Expect(err).NotTo(HaveOccurred())
	return conn
}
