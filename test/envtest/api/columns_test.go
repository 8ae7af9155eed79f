// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

// printed is the one-row table that kubectl prints for a collection: a cell for each column,
// those of `-o wide` too, but for name and age, which are the same everywhere.
func printed(ctx context.Context, namespace, resource string) (normal, wide map[string]any) {
	GinkgoHelper()
	clients, err := kubernetes.NewForConfig(plane.Config())
	Expect(err).NotTo(HaveOccurred())
	table := &metav1.Table{}
	Expect(clients.CoreV1().RESTClient().Get().
		AbsPath("apis", v1alpha1.Group, "v1alpha1", "namespaces", namespace, resource).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").
		Do(ctx).Into(table)).To(Succeed())
	Expect(table.Rows).To(HaveLen(1))
	Expect(table.Rows[0].Cells).To(HaveLen(len(table.ColumnDefinitions)))

	normal, wide = map[string]any{}, map[string]any{}
	var order []string
	for i, column := range table.ColumnDefinitions {
		cell := table.Rows[0].Cells[i]
		switch {
		case column.Priority > 0:
			wide[column.Name] = cell
		case column.Name == "Name" || column.Name == "Age":
			Expect(cell).NotTo(BeZero(), column.Name)
		default:
			normal[column.Name] = cell
		}
		if column.Priority == 0 {
			order = append(order, column.Name)
		}
	}
	Expect(order[0]).To(Equal("Name"))
	Expect(order[len(order)-1]).To(Equal("Age"))
	return normal, wide
}

func condition(kind string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		LastTransitionTime: metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
	}
}

func minimalRegistration(namespace string) *v1alpha1.ClusterRegistration {
	registration := &v1alpha1.ClusterRegistration{}
	registration.Namespace, registration.Name = namespace, "edge-1"
	registration.Spec.Bootstrap.KubeconfigSecretRef.Name = "edge-1-kubeconfig"
	return registration
}

func minimalPlane(namespace string) *v1alpha1.CCLInfraPlane {
	infraPlane := &v1alpha1.CCLInfraPlane{}
	infraPlane.Namespace, infraPlane.Name = namespace, "edge-1"
	return infraPlane
}

func minimalSet(namespace string) *v1alpha1.CCLComponentSet {
	set := &v1alpha1.CCLComponentSet{}
	set.Namespace, set.Name = namespace, "local-base"
	set.Spec.Components = []v1alpha1.Component{{
		Name: "keda", InfraPlaneRef: v1alpha1.LocalObjectReference{Name: "edge-1"}, Chart: "cluster_base/keda", Namespace: "keda",
	}}
	return set
}

var _ = Describe("Printer columns", func() {
	var namespace string
	BeforeEach(func() { namespace = testenv.Namespace(GinkgoTB(), kube) })

	update := func(ctx context.Context, obj client.Object) {
		GinkgoHelper()
		Expect(kube.Status().Update(ctx, obj)).To(Succeed())
	}

	It("show a ClusterRegistration", func(ctx SpecContext) {
		obj := minimalRegistration(namespace)
		Expect(kube.Create(ctx, obj)).To(Succeed())
		normal, wide := printed(ctx, namespace, "clusterregistrations")
		Expect(normal).To(Equal(map[string]any{"Server": nil, "Ready": nil, "Reason": nil, "Version": nil, "Expires": nil}))
		Expect(wide).To(Equal(map[string]any{"Message": nil}))

		obj.Status = v1alpha1.ClusterRegistrationStatus{
			Conditions: []metav1.Condition{
				condition(v1alpha1.ConditionReachable, metav1.ConditionTrue, v1alpha1.ReasonConnected, "another condition"),
				condition(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonPending, "not yet"),
			},
			Server:            "https://edge-1:6443",
			KubernetesVersion: "v1.37.2",
			Token: v1alpha1.TokenStatus{
				Type: v1alpha1.TokenBound, ExpiresAt: metav1.NewTime(time.Date(2026, 2, 1, 3, 4, 5, 0, time.UTC)),
			},
		}
		update(ctx, obj)
		normal, wide = printed(ctx, namespace, "clusterregistrations")
		Expect(normal).To(Equal(map[string]any{
			"Server": "https://edge-1:6443", "Ready": "False", "Reason": "Pending", "Version": "v1.37.2", "Expires": "2026-02-01T03:04:05Z",
		}))
		Expect(wide).To(Equal(map[string]any{"Message": "not yet"}))
	})

	It("show a CCLInfraPlane", func(ctx SpecContext) {
		obj := minimalPlane(namespace)
		Expect(kube.Create(ctx, obj)).To(Succeed())
		obj.Status = v1alpha1.CCLInfraPlaneStatus{
			Conditions: []metav1.Condition{condition(v1alpha1.ConditionAvailable, metav1.ConditionTrue, "Accepted", "")},
			Server:     "https://edge-1:6443",
		}
		update(ctx, obj)
		normal, wide := printed(ctx, namespace, "cclinfraplanes")
		Expect(normal).To(Equal(map[string]any{"Server": "https://edge-1:6443", "Available": "True", "Reason": "Accepted"}))
		Expect(wide).To(BeEmpty())
	})

	It("show a CCLComponentSet", func(ctx SpecContext) {
		obj := minimalSet(namespace)
		Expect(kube.Create(ctx, obj)).To(Succeed())
		obj.Status.Conditions = []metav1.Condition{
			condition(v1alpha1.ConditionValidated, metav1.ConditionTrue, "Valid", ""),
			condition(v1alpha1.ConditionProgressing, metav1.ConditionTrue, "WaveSyncing", ""),
		}
		update(ctx, obj)
		normal, wide := printed(ctx, namespace, "cclcomponentsets")
		Expect(normal).To(Equal(map[string]any{"Progress": "WaveSyncing"}))
		Expect(wide).To(BeEmpty())
	})
})
