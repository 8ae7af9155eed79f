// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localargo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// install puts Argo CD's kinds, namespace and settings on the control plane.
func (b *Bed) install(ctx context.Context) error {
	if err := b.options.Control.InstallCRDs(filepath.Join(b.options.Assets, "crds")); err != nil {
		return err
	}
	kube, err := client.New(b.options.Control.Config(), client.Options{})
	if err != nil {
		return fmt.Errorf("make client of the control plane: %w", err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
	if err := create(ctx, kube, namespace); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(b.options.Assets, "config", "*.yaml"))
	if err != nil || len(files) == 0 {
		return errors.New("find Argo CD's settings: run \"make argocd-bin\"")
	}
	slices.Sort(files)
	for _, file := range files {
		if err := installFile(ctx, kube, file); err != nil {
			return err
		}
	}
	return nil
}

func installFile(ctx context.Context, kube client.Client, file string) error {
	content, err := os.ReadFile(file) //nolint:gosec // a file of the assets' folder
	if err != nil {
		return fmt.Errorf("read settings of Argo CD: %w", err)
	}
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), len(content)+1)
	for {
		obj := &unstructured.Unstructured{}
		err := decoder.Decode(obj)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", filepath.Base(file), err)
		}
		obj.SetNamespace(Namespace)
		if obj.GetName() == "argocd-cm" {
			// Tests do not wait for minutes.
			if err := unstructured.SetNestedStringMap(obj.Object, map[string]string{
				"timeout.reconciliation": "20s", "timeout.reconciliation.jitter": "0s",
			}, "data"); err != nil {
				return fmt.Errorf("change %s: %w", filepath.Base(file), err)
			}
		}
		if err := create(ctx, kube, obj); err != nil {
			return err
		}
	}
}

func create(ctx context.Context, kube client.Client, obj client.Object) error {
	if err := kube.Create(ctx, obj); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("install %s of Argo CD: %w", obj.GetName(), err)
	}
	return nil
}
