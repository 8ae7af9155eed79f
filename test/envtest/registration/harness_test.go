// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"context"
	"net/netip"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// Names in the suite's own requests, by which the audit log tells them apart.
const (
	controlAgent = "registration-test-control"
	remoteAgent  = "registration-test-remote"
)

// harness drives the reconciler by hand: nothing happens unless a spec asks for it.
type harness struct {
	ctx       context.Context //nolint:containedctx // a spec's context, and the harness is the spec's
	namespace string
	// kube and plane are an admin's view of the two planes.
	kube, plane client.Client
	clock       *testclock.FakePassiveClock
	recorder    *events.FakeRecorder
	options     registration.Options
	reconciler  *registration.Reconciler

	cached  client.Client
	live    client.Reader
	pool    *remote.Pool
	witness *witness
}

func loopbackPolicy() remote.Policy {
	return remote.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

func newHarness(ctx context.Context, change ...func(*registration.Options)) *harness {
	GinkgoHelper()
	h := &harness{
		ctx:      ctx,
		kube:     adminOf(control),
		plane:    adminOf(infra),
		clock:    testclock.NewFakePassiveClock(time.Now()),
		recorder: events.NewFakeRecorder(1000),
		options:  registration.Options{ControlPlaneID: "test-control-plane", ReadyWithoutPlane: true},
		witness:  newWitness(),
	}
	for _, c := range change {
		c(&h.options)
	}
	h.namespace = testenv.Namespace(GinkgoTB(), h.kube)    //nolint:contextcheck // the namespace outlives the spec's context
	DeferCleanup(func(ctx SpecContext) { h.testify(ctx) }) //nolint:contextcheck // the clean-up has a context of its own
	h.connect(control.Config())                            //nolint:contextcheck // h.ctx is the same
	pool, err := remote.NewPool(loopbackPolicy(), remote.WithUserAgent(remoteAgent))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(pool.Close)
	h.pool = pool
	h.restart()
	return h
}

// connect makes the clients that the reconciler works with, cache included.
func (h *harness) connect(cfg *rest.Config) {
	GinkgoHelper()
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = controlAgent
	scheme, err := ccluster.NewScheme()
	Expect(err).NotTo(HaveOccurred())
	c, err := cluster.New(cfg, func(o *cluster.Options) {
		o.Scheme = scheme
		o.Cache.ByObject = registration.SecretCache()
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(registration.Index(h.ctx, c.GetFieldIndexer())).To(Succeed())
	life, end := context.WithCancel(context.WithoutCancel(h.ctx))
	done := make(chan error, 1)
	go func() { done <- c.Start(life) }()
	DeferCleanup(func() {
		end()
		Expect(<-done).To(Succeed())
	})
	Expect(c.GetCache().WaitForCacheSync(h.ctx)).To(BeTrue())
	h.cached, h.live = c.GetClient(), c.GetAPIReader()
}

// restart replaces the reconciler by one that remembers nothing.
func (h *harness) restart() {
	GinkgoHelper()
	r, err := registration.New(registration.Dependencies{
		Client: h.cached, Live: h.live, Pool: h.pool, Recorder: h.witness.recorder(h.recorder), Clock: h.clock,
		Metrics: h.witness.newMetrics(),
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

// bootstrap creates an admin kubeconfig Secret of the infra plane.
func (h *harness) bootstrap(name string, kubeconfig []byte) *corev1.Secret {
	GinkgoHelper()
	h.witness.knowFile(kubeconfig)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: name},
		Data:       map[string][]byte{"kubeconfig": kubeconfig},
	}
	Expect(h.kube.Create(h.ctx, secret)).To(Succeed())
	return secret
}

// registration returns an object that has not been created; its ServiceAccount is its own,
// so that specs do not meet on the plane.
func (h *harness) registration(name string, change ...func(*v1alpha1.ClusterRegistration)) *v1alpha1.ClusterRegistration {
	reg := &v1alpha1.ClusterRegistration{
		ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: name},
		Spec: v1alpha1.ClusterRegistrationSpec{
			Bootstrap:      v1alpha1.Bootstrap{KubeconfigSecretRef: v1alpha1.KubeconfigSecretReference{Name: name + "-kubeconfig"}},
			ServiceAccount: &v1alpha1.ServiceAccountReference{Namespace: "kube-system", Name: h.namespace + "-" + name},
		},
	}
	for _, c := range change {
		c(reg)
	}
	return reg
}

// once does one pass and returns what it asks for. The clock moves by what is asked, so
// that the next pass is due.
func (h *harness) once(key types.NamespacedName) (ctrl.Result, error) {
	GinkgoHelper()
	reg := &v1alpha1.ClusterRegistration{}
	err := h.kube.Get(h.ctx, key, reg)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, nil
	}
	Expect(err).NotTo(HaveOccurred())
	result, err := h.reconciler.Reconcile(h.ctx, reg)
	h.look(h.ctx, key, err)
	h.clock.SetTime(h.clock.Now().Add(result.RequeueAfter))
	return result, err
}

// must is once for a pass that has to go well.
func (h *harness) must(key types.NamespacedName) {
	GinkgoHelper()
	_, err := h.once(key)
	Expect(err).NotTo(HaveOccurred())
}

// settle does passes until the condition is as wanted.
func (h *harness) settle(key types.NamespacedName, condition string, status metav1.ConditionStatus, reason string) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	reg := &v1alpha1.ClusterRegistration{}
	Eventually(func(g Gomega) {
		_, err := h.once(key)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(h.kube.Get(h.ctx, key, reg)).To(Succeed())
		c := conditions.Find(reg.Status.Conditions, condition)
		g.Expect(c).NotTo(BeNil())
		g.Expect([]any{c.Status, c.Reason}).To(Equal([]any{status, reason}), "%s: %s", c.Type, c.Message)
	}).Should(Succeed())
	return reg
}

func (h *harness) ready(key types.NamespacedName) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	return h.settle(key, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonReady)
}

// gone does passes until the registration has been removed.
func (h *harness) gone(key types.NamespacedName) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		_, err := h.once(key)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(apierrors.IsNotFound(h.kube.Get(h.ctx, key, &v1alpha1.ClusterRegistration{}))).To(BeTrue())
	}).Should(Succeed())
}

// register creates a registration with its bootstrap Secret and brings it to Ready. On
// the plane it is removed after the spec.
func (h *harness) register(name string,
	change ...func(*v1alpha1.ClusterRegistration),
) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	h.bootstrap(name+"-kubeconfig", infra.Kubeconfig())
	reg := h.registration(name, change...)
	Expect(h.kube.Create(h.ctx, reg)).To(Succeed())
	h.removeAfter(reg)
	return h.ready(client.ObjectKeyFromObject(reg))
}

// removeAfter takes a registration away after the spec. That a revocation is proven, which
// takes an API server's ten seconds, is for the specs that are about it.
func (h *harness) removeAfter(reg *v1alpha1.ClusterRegistration) {
	DeferCleanup(func(ctx context.Context) {
		h.ctx = ctx
		key := client.ObjectKeyFromObject(reg)
		live := &v1alpha1.ClusterRegistration{}
		if err := h.kube.Get(ctx, key, live); apierrors.IsNotFound(err) {
			return
		}
		keep := client.MergeFrom(live.DeepCopy())
		live.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		Expect(h.kube.Patch(ctx, live, keep)).To(Succeed())
		Expect(h.kube.Delete(ctx, live)).To(Succeed())
		h.gone(key)
		h.wipe(reg)
	})
}

// wipe removes what a registration has left on the plane.
func (h *harness) wipe(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	marked := client.MatchingLabels(h.marker(reg).Labels())
	for _, list := range []client.ObjectList{
		&corev1.ServiceAccountList{}, &corev1.SecretList{}, &corev1.ConfigMapList{}, &rbacv1.ClusterRoleBindingList{},
		&rbacv1.ClusterRoleList{}, &rbacv1.RoleBindingList{}, &rbacv1.RoleList{},
	} {
		Expect(h.plane.List(h.ctx, list, marked)).To(Succeed())
		Expect(meta.EachListItem(list, func(o runtime.Object) error {
			obj, ok := o.(client.Object)
			Expect(ok).To(BeTrue())
			return client.IgnoreNotFound(h.plane.Delete(h.ctx, obj))
		})).To(Succeed())
	}
}

func itemsOf(list client.ObjectList) []string {
	GinkgoHelper()
	var names []string
	Expect(meta.EachListItem(list, func(o runtime.Object) error {
		obj, ok := o.(client.Object)
		Expect(ok).To(BeTrue())
		names = append(names, client.ObjectKeyFromObject(obj).String())
		return nil
	})).To(Succeed())
	return names
}
