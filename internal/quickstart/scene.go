// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// scene is what takes part.
type scene struct {
	printer        *printer
	work           *workshop
	control, infra *localplane.Plane
	kubectl        kubectl
	kube           client.Client

	cancelManager context.CancelFunc
	managerDone   chan struct{}
	managerErr    error // read after managerDone
}

// play is everything between the start of the planes and the hints.
func (s *scene) play(ctx context.Context) error {
	if err := s.prepare(); err != nil {
		return err
	}
	if err := s.startManager(ctx); err != nil {
		return err
	}
	if err := s.register(ctx); err != nil {
		return s.explain(ctx, err)
	}
	if err := s.show(ctx); err != nil {
		return s.explain(ctx, err)
	}
	return nil
}

// prepare writes the kubeconfigs and makes the clients.
func (s *scene) prepare() error {
	for name, p := range map[string]*localplane.Plane{controlKubeconfig: s.control, infraKubeconfig: s.infra} {
		if err := s.work.write(name, p.Kubeconfig()); err != nil {
			return err
		}
	}
	binary, err := localplane.Kubectl("")
	if err != nil {
		return err
	}
	s.kubectl = kubectl{binary: binary, cache: s.work.path("cache")}
	scheme, err := ccluster.NewScheme()
	if err != nil {
		return err
	}
	if s.kube, err = client.New(s.control.Config(), client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	return nil
}

// register applies the samples with the infra plane's kubeconfig and waits until they are
// Ready.
func (s *scene) register(ctx context.Context) error {
	err := s.printer.step("Applying config/samples, with the admin kubeconfig of infra in its Secret", func() error {
		samples := s.work.path("samples")
		if err := copySamples("config/samples", samples, s.infra.Kubeconfig()); err != nil {
			return err
		}
		// Server-side: a copy of the kubeconfig must not end in an annotation.
		_, err := s.kubectl.run(ctx, s.work.path(controlKubeconfig), "apply", "--server-side", "-k", samples)
		return err
	})
	if err != nil {
		return err
	}
	return s.await(ctx)
}
