// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	v1alpha1ac "github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/apply"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// Owner is the field manager of everything but finalizers.
const Owner = "ccluster-go-infraplane"

// Dependencies are what a Reconciler works with.
type Dependencies struct {
	// Client reads from the cache and writes.
	Client client.Client
	// Live reads past the cache.
	Live client.Reader
	// Clusters reads the cluster Secrets of Argo CD's namespace; see ClusterCache.
	Clusters client.Reader
	// Pool connects to infra planes. It is shared with the registrations' controller.
	Pool     *remote.Pool
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	// Metrics are told what is found. Default: kept to itself.
	Metrics *Metrics
	// Random returns a number in [0, 1). Default: math/rand.
	Random func() float64
}

// +kubebuilder:rbac:groups=ccluster.nvidia.com,resources=cclinfraplanes,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=ccluster.nvidia.com,resources=cclinfraplanes/status,verbs=patch
// +kubebuilder:rbac:groups=ccluster.nvidia.com,resources=cclinfraplanes/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=argoproj.io,resources=appprojects,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=argoproj.io,resources=applications,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler reconciles CCLInfraPlanes.
type Reconciler struct {
	client   client.Client
	live     client.Reader
	clusters client.Reader
	pool     *remote.Pool
	recorder events.EventRecorder
	clock    clock.PassiveClock
	random   func() float64
	options  Options
	metrics  *Metrics

	// objects writes what is in Argo CD's namespace, projects the AppProjects, whose types are not
	// known here, status a plane's status, finalizers its finalizer, nudges the annotation on
	// Applications.
	objects, projects, status, finalizers, nudges apply.Applier

	memory  *memory
	tenants namespaceLocks
}

// New returns a Reconciler. It rejects missing dependencies and impossible options.
func New(d Dependencies, options Options) (*Reconciler, error) {
	if d.Client == nil || d.Live == nil || d.Clusters == nil || d.Pool == nil || d.Recorder == nil || d.Clock == nil {
		return nil, errors.New("infraplane controller: Client, Live, Clusters, Pool, Recorder and Clock must be set")
	}
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Reconciler{
		client: d.Client, live: d.Live, clusters: d.Clusters, pool: d.Pool, recorder: d.Recorder, clock: d.Clock,
		random: d.Random, options: options, metrics: d.Metrics, memory: newMemory(),
	}
	if r.random == nil {
		r.random = rand.Float64
	}
	if r.metrics == nil {
		r.metrics = NewMetrics()
	}
	r.metrics.memory = r.memory
	for _, a := range []struct {
		to    *apply.Applier
		owner string
	}{{&r.objects, Owner}, {&r.status, Owner}, {&r.finalizers, Owner + "-finalizer"}} {
		if *a.to, err = ccluster.NewApplier(d.Client, a.owner); err != nil {
			return nil, err
		}
	}
	if r.projects, err = apply.New(d.Client, deduced, Owner); err != nil {
		return nil, err
	}
	r.nudges, err = apply.New(d.Client, deduced, Owner+"-refresh")
	return r, err
}

// Reconcile does one pass over one plane.
func (r *Reconciler) Reconcile(ctx context.Context, plane *v1alpha1.CCLInfraPlane) (ctrl.Result, error) {
	s := r.newScope(plane)
	var err error
	if plane.DeletionTimestamp.IsZero() {
		err = r.run(ctx, s)
	} else {
		var gone bool
		if gone, err = r.finalize(ctx, s); gone {
			r.forget(s)
			return ctrl.Result{}, err
		}
	}
	after, failure := r.settle(s, err)
	if err := r.writeStatus(ctx, s); err != nil {
		return ctrl.Result{}, errors.Join(failure, err)
	}
	if failure != nil {
		return ctrl.Result{}, failure
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *Reconciler) newScope(plane *v1alpha1.CCLInfraPlane) *scope {
	key := client.ObjectKeyFromObject(plane)
	record := r.memory.of(key, plane.UID)
	status := record.liveStatus(plane)
	s := &scope{
		plane: plane, key: key, record: record, server: status.Server, secretName: status.ArgoCDSecretName,
		conds: conditions.For(plane, status.Conditions, r.clock, v1alpha1.ConditionAvailable),
	}
	s.conds.Keep(v1alpha1.ConditionAvailable)
	return s
}

// run works on a plane that is to stay.
func (r *Reconciler) run(ctx context.Context, s *scope) error {
	if !controllerutil.ContainsFinalizer(s.plane, v1alpha1.InfraPlaneFinalizer) {
		if err := r.setFinalizer(ctx, s, v1alpha1.InfraPlaneFinalizer); err != nil {
			return err
		}
	}
	if s.inCluster() {
		return r.runInCluster(ctx, s)
	}
	if err := r.load(ctx, s); err != nil {
		return err
	}
	if err := r.permit(ctx, s); err != nil {
		return err
	}
	duplicate := r.refuseDuplicates(ctx, s)
	if duplicate != nil && !r.holds(ctx, s) {
		return duplicate
	}
	if err := r.ensureProject(ctx, s); err != nil {
		return err
	}
	if err := r.ensureMirror(ctx, s); err != nil {
		return err
	}
	if duplicate != nil {
		// What Argo CD has is kept as it should be, but it may take the other one.
		return duplicate
	}
	return r.check(ctx, s)
}

// setFinalizer applies the plane's finalizers of ours: the given one, or none.
func (r *Reconciler) setFinalizer(ctx context.Context, s *scope, finalizers ...string) error {
	intent := v1alpha1ac.CCLInfraPlane(s.key.Name, s.key.Namespace).WithUID(s.plane.UID).WithFinalizers(finalizers...)
	err := r.finalizers.Object(ctx, intent, nil)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		// Gone, and perhaps made anew, meanwhile.
		return nil
	}
	return err
}

// forget drops what is remembered of a plane. A registration goes on with the connection.
func (r *Reconciler) forget(s *scope) {
	r.memory.forget(s.key)
	if !s.registered() {
		r.pool.Forget(s.key)
	}
}

// settle turns a pass's error into what controller-runtime is to do.
func (r *Reconciler) settle(s *scope, err error) (time.Duration, error) {
	now := r.clock.Now()
	if err == nil {
		s.record.failures, s.record.retryAt = 0, time.Time{}
		if s.record.nextCheck.IsZero() {
			return 0, nil
		}
		return max(s.record.nextCheck.Sub(now), time.Millisecond), nil
	}
	var p *problem
	if !errors.As(err, &p) {
		return 0, err
	}
	if p.err != nil {
		return 0, p.err
	}
	if !p.backoff {
		return p.after, nil
	}
	if now.Before(s.record.retryAt) {
		return s.record.retryAt.Sub(now), nil
	}
	wait := max(remote.Backoff(s.record.failures, r.random()), p.after)
	s.record.failures++
	s.record.retryAt = now.Add(wait)
	return wait, nil
}

// jitter spreads a period by a tenth either way.
func (r *Reconciler) jitter(period time.Duration) time.Duration {
	return time.Duration(float64(period) * (0.9 + 0.2*r.random()))
}

func keyOf(namespace, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: name}
}
