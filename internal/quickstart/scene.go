// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// scene is what takes part.
type scene struct {
	printer        *printer
	work           *workshop
	control, infra *localplane.Plane
	// bed is Argo CD, if that was asked for.
	bed     *localargo.Bed
	kubectl kubectl
	kube    client.Client

	cancelManager context.CancelFunc
	managerDone   chan struct{}
	managerErr    error // read after managerDone
}

// play is everything between the start of the planes and the hints.
func (s *scene) play(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
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
	if s.bed == nil {
		return nil
	}
	if err := s.deploy(ctx); err != nil {
		return s.explain(ctx, err)
	}
	return nil
}

// prepare writes the kubeconfigs and makes the clients.
func (s *scene) prepare(ctx context.Context) error {
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
	// Where Argo CD would be, if it is not.
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: localargo.Namespace}}
	if err := s.kube.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("make namespace %s: %w", localargo.Namespace, err)
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
