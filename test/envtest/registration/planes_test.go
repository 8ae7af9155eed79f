// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"context"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// bench is a harness with a control plane ID of its own, so that its registrations have the
// shared infra plane to themselves, and with a count of what the reconciler asks of both planes.
type bench struct {
	*harness

	onInfra, onControl *callLog
	kubeconfig         []byte
	pools              []*remote.Pool
}

// newBench returns a bench whose reconciler uses no chance: waits are exactly what is asked for.
// After the spec all of its control plane is removed from the infra plane.
func newBench(ctx context.Context, change ...func(*registration.Options)) *bench {
	GinkgoHelper()
	id := "cp-" + utilrand.String(8)
	own := func(o *registration.Options) { o.ControlPlaneID = id }
	b := &bench{
		harness: newHarness(ctx, slices.Concat([]func(*registration.Options){own}, change)...),
		onInfra: &callLog{}, onControl: &callLog{}, kubeconfig: infra.Kubeconfig(),
	}
	b.cached = recordingClient{Client: b.cached, log: b.onControl}
	b.dial(loopbackPolicy())
	DeferCleanup(func(ctx context.Context) {
		for _, pool := range b.pools {
			pool.Close()
		}
		b.wipe(ctx)
		b.expectNothingMarked(ctx)
	})
	return b
}

// dial replaces the pool of connections and, with it, the reconciler.
func (b *bench) dial(policy remote.Policy) {
	GinkgoHelper()
	pool, err := remote.NewPool(policy, remote.WithUserAgent(remoteAgent),
		remote.WithObserver(func(op string, _ float64, kind remote.Kind) {
			if kind != remote.None {
				op += " " + string(kind)
			}
			b.onInfra.add(op)
		}))
	Expect(err).NotTo(HaveOccurred())
	// A spec may replace it between the creation and the removal of a registration.
	b.pool, b.pools = pool, append(b.pools, pool)
	b.restart()
}

// restart replaces the reconciler by one that remembers nothing.
func (b *bench) restart() {
	GinkgoHelper()
	r, err := registration.New(registration.Dependencies{
		Client: b.cached, Live: b.live, Pool: b.pool, Recorder: b.witness.recorder(b.recorder), Clock: b.clock,
		Metrics: b.witness.newMetrics(), Random: func() float64 { return 0.5 },
	}, b.options)
	Expect(err).NotTo(HaveOccurred())
	b.reconciler = r
}

// through makes the bench's bootstrap Secrets lead through a front of its own: an address at
// which the infra plane can be made to fail.
func (b *bench) through() *localplane.Front {
	GinkgoHelper()
	front, err := infra.Front(b.ctx)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(front.Close)
	b.kubeconfig, err = front.Kubeconfig()
	Expect(err).NotTo(HaveOccurred())
	return front
}

// create creates a registration with its bootstrap Secret and leaves it at that.
func (b *bench) create(name string, change ...func(*v1alpha1.ClusterRegistration)) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	b.bootstrap(name+"-kubeconfig", b.kubeconfig)
	return b.createBare(name, change...)
}

// createBare is create without a bootstrap Secret.
func (b *bench) createBare(name string, change ...func(*v1alpha1.ClusterRegistration)) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	reg := b.registration(name, change...)
	Expect(b.kube.Create(b.ctx, reg)).To(Succeed())
	b.removeAfter(reg)
	return reg
}

// removeAfter removes a registration after the spec.
func (b *bench) removeAfter(reg *v1alpha1.ClusterRegistration) {
	DeferCleanup(func(ctx context.Context) {
		b.ctx = ctx
		b.discard(reg)
	})
}

// discard removes a registration. What is on the plane is left to the bench: an API server goes on
// accepting a token for ten seconds, which revocation would wait for.
func (b *bench) discard(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	err := b.kube.Get(b.ctx, client.ObjectKeyFromObject(reg), reg)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil {
		return
	}
	edit(b.ctx, b.kube, reg, func(r *v1alpha1.ClusterRegistration) { r.Spec.DeletionPolicy = v1alpha1.DeletionRetain })
	Expect(client.IgnoreNotFound(b.kube.Delete(b.ctx, reg))).To(Succeed())
	b.gone(client.ObjectKeyFromObject(reg))
	b.catchUp(reg)
}

// bringUp creates a registration, brings it to Ready and forgets what that took.
func (b *bench) bringUp(name string, change ...func(*v1alpha1.ClusterRegistration)) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	reg := b.ready(client.ObjectKeyFromObject(b.create(name, change...)))
	b.forgetPast()
	return reg
}

// forgetPast drops recorded calls and events.
func (b *bench) forgetPast() {
	b.onInfra.take()
	b.onControl.take()
	b.events()
}

// pass does one pass and, unlike once, leaves the clock alone.
func (b *bench) pass(reg *v1alpha1.ClusterRegistration) ctrl.Result {
	GinkgoHelper()
	b.refresh(reg)
	result, err := b.reconciler.Reconcile(b.ctx, reg.DeepCopy())
	Expect(err).NotTo(HaveOccurred())
	Expect(client.IgnoreNotFound(b.kube.Get(b.ctx, client.ObjectKeyFromObject(reg), reg))).To(Succeed())
	return result
}

func (b *bench) refresh(reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	Expect(b.kube.Get(b.ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
}

func (b *bench) advance(d time.Duration) { b.clock.SetTime(b.clock.Now().Add(d)) }

// events returns what has been recorded since the last call, as `type reason note`.
func (b *bench) events() []string {
	var list []string
	for {
		select {
		case e := <-b.recorder.Events:
			list = append(list, e)
		default:
			return list
		}
	}
}

// edit changes a live object as somebody else would, by an update without a field manager of ours.
func edit[T client.Object](ctx context.Context, c client.Client, obj T, change func(T)) T {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(c.Get(ctx, client.ObjectKeyFromObject(obj), obj)).To(Succeed())
		change(obj)
		g.Expect(c.Update(ctx, obj, client.FieldOwner("somebody"))).To(Succeed())
	}).Should(Succeed())
	return obj
}

// catchUp waits until the reconciler's cache shows an object as it is on the control plane.
func (b *bench) catchUp(obj client.Object) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(obj)
	Eventually(func(g Gomega) {
		live, seen := emptied(obj), emptied(obj)
		errLive, errSeen := b.kube.Get(b.ctx, key, live), b.cached.Get(b.ctx, key, seen)
		if secret, ok := live.(*corev1.Secret); ok && errLive == nil && secret.Labels[v1alpha1.ManagedLabel] == "" {
			g.Expect(apierrors.IsNotFound(errSeen)).To(BeTrue())
			return
		}
		g.Expect(apierrors.IsNotFound(errSeen)).To(Equal(apierrors.IsNotFound(errLive)))
		g.Expect(seen.GetResourceVersion()).To(Equal(live.GetResourceVersion()))
	}).Should(Succeed())
}

// emptied is a new object of the same Go type.
func emptied(obj client.Object) client.Object {
	GinkgoHelper()
	switch obj.(type) {
	case *corev1.Secret:
		return &corev1.Secret{}
	case *v1alpha1.CCLInfraPlane:
		return &v1alpha1.CCLInfraPlane{}
	case *v1alpha1.ClusterRegistration:
		return &v1alpha1.ClusterRegistration{}
	}
	Fail("no such kind in the cache")
	return nil
}

// names of what a registration has on its plane.
func bindingName(reg *v1alpha1.ClusterRegistration) string {
	return "ccluster:" + reg.Spec.ServiceAccount.Namespace + ":" + reg.Spec.ServiceAccount.Name
}

func accountKey(reg *v1alpha1.ClusterRegistration, suffix string) types.NamespacedName {
	return types.NamespacedName{Namespace: reg.Spec.ServiceAccount.Namespace, Name: reg.Spec.ServiceAccount.Name + suffix}
}

func (b *bench) claimKey() types.NamespacedName {
	return types.NamespacedName{Namespace: "kube-system", Name: "ccluster-claim-" + b.options.ControlPlaneID}
}

// named sets the name, and the namespace, of an object.
func named[T client.Object](obj T, key types.NamespacedName) T {
	obj.SetNamespace(key.Namespace)
	obj.SetName(key.Name)
	return obj
}

// markedKinds are all the kinds that are ever made on an infra plane.
func markedKinds() []client.ObjectList {
	return []client.ObjectList{
		&corev1.ConfigMapList{}, &corev1.ServiceAccountList{}, &corev1.SecretList{}, &rbacv1.ClusterRoleBindingList{},
		&rbacv1.ClusterRoleList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
	}
}

// marked lists what carries this control plane's marker on the infra plane, as `Kind namespace/name`.
func (b *bench) marked(ctx context.Context) []client.Object {
	GinkgoHelper()
	var found []client.Object
	for _, list := range markedKinds() {
		Expect(b.plane.List(ctx, list, client.HasLabels{v1alpha1.MarkerLabel})).To(Succeed())
		for _, obj := range objectsOf(list) {
			if obj.GetAnnotations()[v1alpha1.ControlPlaneAnnotation] == b.options.ControlPlaneID {
				found = append(found, obj)
			}
		}
	}
	return found
}

func (b *bench) expectNothingMarked(ctx context.Context) {
	GinkgoHelper()
	// Some of it goes only by garbage collection.
	Eventually(func(g Gomega) { g.Expect(describeObjects(b.marked(ctx))).To(BeEmpty()) }).Should(Succeed())
}

// wipe removes what a spec has left on the infra plane on purpose.
func (b *bench) wipe(ctx context.Context) {
	GinkgoHelper()
	for _, obj := range b.marked(ctx) {
		Expect(client.IgnoreNotFound(b.plane.Delete(ctx, obj))).To(Succeed())
	}
}

// plant creates an object of somebody else's on a plane until the spec ends.
func plant[T client.Object](ctx context.Context, c client.Client, obj T) T {
	GinkgoHelper()
	Expect(c.Create(ctx, obj, client.FieldOwner("somebody"))).To(Succeed())
	DeferCleanup(func(ctx context.Context) {
		Expect(client.IgnoreNotFound(c.Delete(ctx, obj))).To(Succeed())
	})
	return obj
}

func objectsOf(list client.ObjectList) []client.Object {
	GinkgoHelper()
	var found []client.Object
	switch l := list.(type) {
	case *corev1.ConfigMapList:
		found = pointers[corev1.ConfigMap](l.Items)
	case *corev1.ServiceAccountList:
		found = pointers[corev1.ServiceAccount](l.Items)
	case *corev1.SecretList:
		found = pointers[corev1.Secret](l.Items)
	case *rbacv1.ClusterRoleBindingList:
		found = pointers[rbacv1.ClusterRoleBinding](l.Items)
	case *rbacv1.ClusterRoleList:
		found = pointers[rbacv1.ClusterRole](l.Items)
	case *rbacv1.RoleList:
		found = pointers[rbacv1.Role](l.Items)
	case *rbacv1.RoleBindingList:
		found = pointers[rbacv1.RoleBinding](l.Items)
	default:
		Fail("no such kind on an infra plane")
	}
	return found
}

func pointers[T any, P interface {
	*T
	client.Object
}](items []T) []client.Object {
	list := make([]client.Object, len(items))
	for i := range items {
		list[i] = P(&items[i])
	}
	return list
}

// describeObjects names objects as events do.
func describeObjects(objects []client.Object) []string {
	names := make([]string, 0, len(objects))
	for _, o := range objects {
		names = append(names, kindOf(o)+" "+strings.TrimPrefix(client.ObjectKeyFromObject(o).String(), "/"))
	}
	slices.Sort(names)
	return names
}

func kindOf(obj client.Object) string {
	GinkgoHelper()
	switch obj.(type) {
	case *corev1.ConfigMap:
		return "ConfigMap"
	case *corev1.ServiceAccount:
		return "ServiceAccount"
	case *corev1.Secret:
		return "Secret"
	case *rbacv1.ClusterRoleBinding:
		return "ClusterRoleBinding"
	case *rbacv1.ClusterRole:
		return "ClusterRole"
	case *rbacv1.Role:
		return "Role"
	case *rbacv1.RoleBinding:
		return "RoleBinding"
	}
	Fail("no such kind on an infra plane")
	return ""
}
