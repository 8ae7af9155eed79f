// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration"
	"github.com/ccluster-go/ccluster-go/pkg/apply"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// registerEdge is the library example of README.md.
func registerEdge(ctx context.Context, kube client.Client) (*v1alpha1.CCLInfraPlane, error) {
	planes := ccluster.NewClient(kube, "tenant-a")
	if err := planes.EnsureNamespace(ctx); err != nil {
		return nil, err
	}
	return planes.ApplyInfraPlane(ctx, "edge-1", ccluster.InfraPlane{
		Server:      "https://edge-1.example.com:6443",
		BearerToken: "a-token-of-edge-1",
	})
}

// A program that has a credential of a cluster already makes a plane of it without the
// manager, and takes it away again.
func ExampleClient_ApplyInfraPlane() {
	ctx := context.Background()
	scheme, err := ccluster.NewScheme()
	if err != nil {
		fmt.Println(err)
		return
	}
	// In a program this is client.New(config, client.Options{Scheme: scheme}).
	kube := fake.NewClientBuilder().WithScheme(scheme).
		WithTypeConverters(apply.ChainConverters(
			applyconfiguration.NewTypeConverter(scheme), applyconfigurations.NewTypeConverter(scheme))).
		WithReturnManagedFields().
		Build()
	plane, err := registerEdge(ctx, kube)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plane.Name, plane.Spec.ClusterCredentialsRef.Name)
	fmt.Println(ccluster.NewClient(kube, "tenant-a").DeleteInfraPlane(ctx, plane.Name))
	// Output:
	// edge-1 edge-1-credentials
	// <nil>
}

// Validate finds before a request is made what the API server would refuse.
func ExampleValidate() {
	registration := &v1alpha1.ClusterRegistration{
		ObjectMeta: metav1.ObjectMeta{Name: "edge-1"},
		Spec: v1alpha1.ClusterRegistrationSpec{
			Bootstrap: v1alpha1.Bootstrap{
				KubeconfigSecretRef: v1alpha1.KubeconfigSecretReference{Name: "edge-1-credentials"},
			},
		},
	}
	fmt.Println(ccluster.Validate(registration))
	// Output:
	// spec.bootstrap.kubeconfigSecretRef.name: Invalid value: `spec.bootstrap.kubeconfigSecretRef.name` must not be '<name>-credentials': that Secret is written by the manager
}
