// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// maxProbes run at a time; the others wait for their turn.
const maxProbes = 16

type probeRun func(context.Context) (ccluster.ProbeResult, error)

// prober runs probes, at most one of a registration.
type prober struct {
	slots chan struct{}
	all   sync.WaitGroup

	mu   sync.Mutex
	runs map[types.NamespacedName]*probing
	// stopped tells that nothing is to be begun any more.
	stopped bool
	// wake brings a pass over a registration whose probe has ended.
	wake func(types.NamespacedName)
}

// probing is a probe that has been started.
type probing struct {
	inputs string
	cancel context.CancelFunc
	// canceled tells that nobody waits for its end.
	canceled bool
	done     chan struct{}
	end      *probeEnd
}

// probeEnd is how a probe has ended.
type probeEnd struct {
	result ccluster.ProbeResult
	err    error
}

func newProber() *prober {
	return &prober{
		slots: make(chan struct{}, maxProbes), runs: map[types.NamespacedName]*probing{},
		wake: func(types.NamespacedName) {},
	}
}

// start begins a probe. One of other inputs that still runs is canceled, and has removed its Job
// before the new one begins.
func (p *prober) start(ctx context.Context, key types.NamespacedName, inputs string, run probeRun) {
	// It outlives the pass. What is sent gets into no log of the client library.
	life, cancel := context.WithCancel(klog.NewContext(context.WithoutCancel(ctx), logr.Discard()))
	begun := &probing{inputs: inputs, cancel: cancel, done: make(chan struct{})}
	p.mu.Lock()
	if p.stopped {
		p.mu.Unlock()
		cancel()
		_, _ = run(life) // It only gives back what it holds.
		return
	}
	before := p.runs[key]
	if before != nil {
		before.canceled = true
		before.cancel()
	}
	p.runs[key] = begun
	defer p.mu.Unlock()
	p.all.Go(func() {
		defer cancel()
		if before != nil {
			<-before.done
		}
		end := &probeEnd{}
		// With the turn missed the run only gives back what it holds.
		select {
		case p.slots <- struct{}{}:
			defer func() { <-p.slots }()
		case <-life.Done():
		}
		end.result, end.err = run(life)
		p.finish(key, begun, end)
	})
}

func (p *prober) finish(key types.NamespacedName, run *probing, end *probeEnd) {
	p.mu.Lock()
	run.end = end
	close(run.done)
	wake := p.wake
	p.mu.Unlock()
	wake(key)
}

// running tells whether a probe of these inputs has not ended yet.
func (p *prober) running(key types.NamespacedName, inputs string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := p.runs[key]
	return run != nil && run.end == nil && !run.canceled && run.inputs == inputs
}

// collect returns the end of a probe of these inputs once.
func (p *prober) collect(key types.NamespacedName, inputs string) *probeEnd {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := p.runs[key]
	if run == nil || run.end == nil {
		return nil
	}
	delete(p.runs, key)
	if run.canceled || run.inputs != inputs {
		return nil
	}
	return run.end
}

// cancel ends a registration's probe, and tells whether it still removes its Job.
func (p *prober) cancel(key types.NamespacedName) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := p.runs[key]
	if run == nil {
		return false
	}
	if run.end != nil {
		delete(p.runs, key)
		return false
	}
	run.canceled = true
	run.cancel()
	return true
}

// Start ends all probes when the manager stops, and waits until they have removed their Jobs.
func (p *prober) Start(ctx context.Context) error {
	<-ctx.Done()
	p.mu.Lock()
	p.stopped = true
	for _, run := range p.runs {
		// The next manager begins it anew.
		run.canceled = true
		run.cancel()
	}
	p.mu.Unlock()
	p.all.Wait()
	return nil
}

// enqueue has ended probes bring a pass through the controller's queue.
func (p *prober) enqueue(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake = func(key types.NamespacedName) { queue.Add(reconcile.Request{NamespacedName: key}) }
	return nil
}
