// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	v1alpha1ac "github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/apply"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// Dependencies are what a Reconciler works with.
type Dependencies struct {
	// Client reads from the cache and writes.
	Client client.Client
	// Live reads past the cache.
	Live client.Reader
	// Pool connects to infra planes.
	Pool     *remote.Pool
	Recorder events.EventRecorder
	Clock    clock.PassiveClock
	// Metrics are told what is done. Default: kept to itself.
	Metrics *Metrics
	// Random returns a number in [0, 1). Default: math/rand.
	Random func() float64
}

// +kubebuilder:rbac:groups=ccluster.nvidia.com,resources=clusterregistrations,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=ccluster.nvidia.com,resources=clusterregistrations/status,verbs=patch
// +kubebuilder:rbac:groups=ccluster.nvidia.com,resources=clusterregistrations/finalizers,verbs=update
// +kubebuilder:rbac:groups=ccluster.nvidia.com,resources=cclinfraplanes,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=namespaces,resourceNames=kube-system,verbs=get
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler reconciles ClusterRegistrations.
type Reconciler struct {
	client   client.Client
	live     client.Reader
	fallback client.Client
	pool     *remote.Pool
	recorder events.EventRecorder
	clock    clock.PassiveClock
	random   func() float64
	options  Options
	metrics  *Metrics

	// objects writes what belongs to a registration, status its status, finalizers its
	// finalizer: three field managers, so that no intent drops another's fields.
	objects    apply.Applier
	status     apply.Applier
	finalizers apply.Applier

	memory *memory
	probes *prober
}

// New returns a Reconciler. It rejects missing dependencies and impossible options.
func New(d Dependencies, options Options) (*Reconciler, error) {
	if d.Client == nil || d.Live == nil || d.Pool == nil || d.Recorder == nil || d.Clock == nil {
		return nil, errors.New("registration controller: Client, Live, Pool, Recorder and Clock must be set")
	}
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Reconciler{
		client: d.Client, live: d.Live, fallback: fallbackClient{Client: d.Client, live: d.Live},
		pool: d.Pool, recorder: d.Recorder, clock: d.Clock, random: d.Random,
		options: options, memory: newMemory(), probes: newProber(),
	}
	if r.metrics = d.Metrics; r.metrics == nil {
		r.metrics = NewMetrics()
	}
	r.metrics.memory, r.metrics.now = r.memory, r.clock.Now
	if r.random == nil {
		r.random = rand.Float64
	}
	for _, a := range []struct {
		to    *apply.Applier
		owner string
	}{{&r.objects, Owner}, {&r.status, Owner}, {&r.finalizers, Owner + "-finalizer"}} {
		if *a.to, err = ccluster.NewApplier(d.Client, a.owner); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Reconcile does one pass over one registration.
func (r *Reconciler) Reconcile(ctx context.Context, reg *v1alpha1.ClusterRegistration) (ctrl.Result, error) {
	key := client.ObjectKeyFromObject(reg)
	s := r.newScope(reg, key)
	defer s.close()
	var err error
	if reg.DeletionTimestamp.IsZero() {
		err = r.run(ctx, s)
	} else {
		var gone bool
		if gone, err = r.finalize(ctx, s); gone {
			r.memory.forget(key)
			r.pool.Forget(key)
			return ctrl.Result{}, err
		}
	}
	after, failure := r.settle(s, err)
	if s.brief(err) {
		return ctrl.Result{RequeueAfter: after}, nil
	}
	if err := r.writeStatus(ctx, s); err != nil {
		return ctrl.Result{}, errors.Join(failure, err)
	}
	if failure != nil {
		return ctrl.Result{}, failure
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

func (r *Reconciler) newScope(reg *v1alpha1.ClusterRegistration, key types.NamespacedName) *scope {
	record := r.memory.of(key, reg.UID)
	status := record.liveStatus(reg)
	s := &scope{
		reg: reg, key: key, record: record, report: reportOf(status),
		conds: conditions.For(reg, status.Conditions, r.clock, v1alpha1.RegistrationConditions()...),
		wanted: provision.WantedFor(provision.Marker{ControlPlaneID: r.options.ControlPlaneID, Registration: key},
			&reg.Spec, r.options.AllowDuplicateClusters),
	}
	// What a pass does not look at stays as it was.
	for _, condition := range v1alpha1.RegistrationConditions() {
		s.conds.Keep(condition)
	}
	if reg.Spec.Probe == nil {
		s.yes(v1alpha1.ConditionProbed, v1alpha1.ReasonNotRequested, "")
	}
	return s
}

// run works on a registration that is to stay.
func (r *Reconciler) run(ctx context.Context, s *scope) error {
	if s.reg.Spec.Reconciliation == v1alpha1.ReconciliationSuspended {
		return waiting(0, v1alpha1.ReasonSuspended, "")
	}
	if !controllerutil.ContainsFinalizer(s.reg, v1alpha1.RegistrationFinalizer) {
		if err := r.setFinalizer(ctx, s, v1alpha1.RegistrationFinalizer); err != nil {
			return err
		}
	}
	if s.record.attempted != s.reg.Generation {
		s.record.recover()
		s.record.attempted = s.reg.Generation
	}
	intent, failure := r.work(ctx, s)
	if failure != nil {
		if s.record.proven == nil || s.record.generation != s.reg.Generation {
			return failure
		}
		// The plane cannot be asked, but what it accepted last is still what has to
		// be on this side.
		intent = *s.record.proven
		s.token.Value = intent.BearerToken
	}
	plane, err := r.applyCredentials(ctx, s, intent)
	if err != nil {
		return errors.Join(failure, err)
	}
	r.mirror(s, plane)
	if failure != nil {
		return failure
	}
	if s.conn != nil {
		r.proven(s)
	}
	if s.prune && s.keeper() {
		if err := s.plane.PruneTokens(ctx, s.token.SecretName); err != nil {
			return s.untrusted(err)
		}
		s.record.sweepAt = s.plane.NextWithdrawal()
	}
	r.probe(ctx, s)
	return r.removeBootstrap(ctx, s)
}

// work finds out what the credentials have to be, with as little as is needed: nothing
// while a check is not due, a check, or building it all.
func (r *Reconciler) work(ctx context.Context, s *scope) (intent ccluster.InfraPlane, err error) {
	if s.reg.Spec.InCluster != nil {
		return intent, r.inCluster(s)
	}
	if err := r.loadStored(ctx, s); err != nil {
		return intent, err
	}
	r.recallSweep(s)
	if err := r.heedBootstrap(ctx, s); err != nil {
		return intent, err
	}
	now := r.clock.Now()
	if proven := s.record.proven; proven != nil && (!s.due(now) || r.lost(s, now)) {
		s.token.Value = proven.BearerToken
		return *proven, nil
	}
	if now.Before(s.record.retryAt) {
		return intent, &problem{after: s.record.retryAt.Sub(now)}
	}
	// While another token is awaited the stored one is no longer of interest.
	if s.record.session == nil && s.usable() && s.stored.generation == s.reg.Generation && !s.record.rebuild {
		err := r.check(ctx, s)
		if !errors.Is(err, errInsufficient) {
			s.reportToken()
			return s.infraPlane(), err
		}
	}
	if err := r.build(ctx, s); err != nil {
		return intent, err
	}
	return s.infraPlane(), nil
}

// setFinalizer applies the registration's finalizers of ours: the given one, or none.
func (r *Reconciler) setFinalizer(ctx context.Context, s *scope, finalizers ...string) error {
	intent := v1alpha1ac.ClusterRegistration(s.key.Name, s.key.Namespace).
		WithUID(s.reg.UID).WithFinalizers(finalizers...)
	if err := r.finalizers.Object(ctx, intent, nil); err != nil {
		return onControlPlane(err)
	}
	return nil
}

// settle turns a pass's error into what controller-runtime is to do.
func (r *Reconciler) settle(s *scope, err error) (time.Duration, error) {
	now := r.clock.Now()
	if err == nil {
		if s.record.nextCheck.IsZero() {
			return 0, nil
		}
		due := next(s.record.nextCheck, s.record.rotateAt, s.record.sweepAt, s.record.probeAt)
		return max(due.Sub(now), time.Millisecond), nil
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
	wait := remote.Backoff(s.record.failures, r.random())
	if p.reason == v1alpha1.ReasonTokenPending {
		wait = pendingWait(s.record.failures)
	}
	s.record.failures++
	wait = max(wait, p.after)
	s.record.retryAt = now.Add(wait)
	return wait, nil
}

// brief tells a wait that is expected to be over before anybody looks: the token controller's
// usual second is no outcome to report.
func (s *scope) brief(err error) bool {
	var p *problem
	return errors.As(err, &p) && p.reason == v1alpha1.ReasonTokenPending && s.record.failures <= 5
}

// pendingWait is short at first: a token Secret is usually filled within a second.
func pendingWait(attempt int) time.Duration {
	return min(100*time.Millisecond<<min(attempt, 6), 5*time.Second)
}
