// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// Options say where to and how long.
type Options struct {
	// Out gets everything that is shown.
	Out io.Writer
	// Color permits colours.
	Color bool
	// ArgoCD runs the real Argo CD too, and deploys a chart with it. Otherwise only its kinds are
	// there.
	ArgoCD bool
	// Exit ends everything as soon as all is shown.
	Exit bool
}

// What config/samples has.
const (
	namespace    = "tenant-a"
	registration = "edge-1"
)

const (
	readyTimeout = time.Minute
	stopTimeout  = 30 * time.Second
)

// Run does it all. Unless Options.Exit is set, it then waits until ctx ends, which is no
// error. Everything that it started is stopped, and every file removed, when it returns.
func Run(ctx context.Context, o Options) (err error) {
	p := &printer{out: o.Out, color: o.Color, now: time.Now}
	began := p.now()
	p.title("ccluster-go: two Kubernetes control planes on this machine, one registered with the other")

	work, err := newWorkshop()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, work.remove()) }()

	var planes []*localplane.Plane
	err = p.step("Starting the planes control and infra, each etcd, API server and controller manager", func() error {
		planes, err = startPlanes(ctx)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopPlanes(ctx, planes)) }()
	s := &scene{printer: p, work: work, control: planes[0], infra: planes[1]}
	if o.ArgoCD {
		if err := s.startArgoCD(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.bed.Stop()) }()
	}
	if err := s.play(ctx); err != nil {
		return err
	}
	p.line("\nAll of it took %s.", p.took(began))
	if o.Exit {
		return s.stopManager()
	}
	s.hints()
	return s.wait(ctx)
}

// startPlanes lets ctx cancel the start only: the planes outlive it, so that the manager can be
// stopped before they are.
func startPlanes(ctx context.Context) ([]*localplane.Plane, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, end)
	planes, err := localplane.StartAll(life,
		localplane.Options{Name: "control", CRDs: []string{"config/crd/bases", localargo.CRDs(".")}},
		localplane.Options{Name: "infra"},
	)
	if err != nil {
		end()
		return nil, err
	}
	if !release() {
		return nil, errors.Join(context.Cause(ctx), stopPlanes(ctx, planes))
	}
	return planes, nil
}

func stopPlanes(ctx context.Context, planes []*localplane.Plane) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return localplane.StopAll(ctx, planes...)
}

// wait returns when ctx ends, or something that should run does not.
func (s *scene) wait(ctx context.Context) error {
	watch := time.NewTicker(time.Second)
	defer watch.Stop()
	for {
		select {
		case <-ctx.Done():
			s.printer.line("\nStopping everything.")
			return s.stopManager()
		case <-s.managerDone:
			return s.explain(ctx, s.managerEnded())
		case <-watch.C:
			err := errors.Join(s.control.Check(), s.infra.Check())
			if s.bed != nil {
				err = errors.Join(err, s.bed.Check())
			}
			if err != nil && ctx.Err() == nil {
				return s.explain(ctx, fmt.Errorf("a process has ended: %w", err))
			}
		}
	}
}
