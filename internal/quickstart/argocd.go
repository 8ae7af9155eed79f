// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/localargo"
)

// deployTimeout is ample for a small chart.
const deployTimeout = 3 * time.Minute

// startArgoCD runs Argo CD on the control plane, and a simulated node on the infra plane.
func (s *scene) startArgoCD(ctx context.Context) error {
	return s.printer.step("Starting Argo CD on control, and a simulated node on infra", func() (err error) {
		if s.bed, err = localargo.Start(ctx, localargo.Options{Control: s.control, Assets: localargo.Assets(".")}); err != nil {
			return err
		}
		return s.bed.AddNode(ctx, s.infra)
	})
}

// deploy lets Argo CD deploy a chart to the registered plane, and shows it.
func (s *scene) deploy(ctx context.Context) error {
	app, err := s.application()
	if err != nil {
		return err
	}
	err = s.printer.step("Deploying a chart to edge-1 through Argo CD", func() error {
		if err := s.kube.Create(ctx, app); err != nil {
			return fmt.Errorf("make Application: %w", err)
		}
		return s.awaitHealthy(ctx, app)
	})
	if err != nil {
		return err
	}
	s.printer.heading("What Argo CD has deployed")
	if err := s.showCommand(ctx, controlKubeconfig, "get", "applications", "-n", namespace); err != nil {
		return err
	}
	return s.showCommand(ctx, infraKubeconfig, "get", "deployments,pods", "-n", localargo.HelloChart)
}

func (s *scene) application() (*unstructured.Unstructured, error) {
	values, err := json.Marshal(map[string]any{"nodeName": localargo.NodeName})
	if err != nil {
		return nil, fmt.Errorf("encode values: %w", err)
	}
	app := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"project":     argocd.ProjectName(namespace),
		"destination": map[string]any{"name": argocd.ClusterName(namespace, registration), "namespace": localargo.HelloChart},
		"source": map[string]any{
			"repoURL": s.bed.RepoURL(), "chart": localargo.HelloChart, "targetRevision": localargo.HelloVersion,
			"helm": map[string]any{"releaseName": localargo.HelloChart, "values": string(values)},
		},
		"syncPolicy": map[string]any{
			"automated":   map[string]any{"prune": true, "selfHeal": true},
			"syncOptions": []any{"CreateNamespace=true", "ServerSideApply=true"},
		},
	}}}
	app.SetGroupVersionKind(argocd.ApplicationKind)
	app.SetNamespace(namespace)
	app.SetName(localargo.HelloChart)
	return app, nil
}

func (s *scene) awaitHealthy(ctx context.Context, app *unstructured.Unstructured) error {
	said := ""
	err := wait.PollUntilContextTimeout(ctx, time.Second, deployTimeout, true, func(ctx context.Context) (bool, error) {
		if err := s.kube.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return false, fmt.Errorf("read Application: %w", err)
		}
		sync, _, _ := unstructured.NestedString(app.Object, "status", "sync", "status")
		health, _, _ := unstructured.NestedString(app.Object, "status", "health", "status")
		said = fmt.Sprintf("%s, %s", sync, health)
		return sync == "Synced" && health == "Healthy", s.bed.Check()
	})
	if err != nil {
		return fmt.Errorf("wait for Application %s, which is %s: %w", app.GetName(), said, err)
	}
	return nil
}
