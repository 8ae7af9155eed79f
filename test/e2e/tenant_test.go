//go:build e2e

// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// tenant is a namespace of the control plane and what is in it.
type tenant struct{ namespace string }

func newTenant() tenant {
	GinkgoHelper()
	return tenant{namespace: testenv.Namespace(GinkgoTB(), kube)}
}

// register creates a registration of the infra plane and waits until it is Ready.
func (t tenant) register(ctx context.Context, name string, change ...func(*v1alpha1.ClusterRegistration)) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	Expect(kube.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name + "-kubeconfig", Labels: map[string]string{v1alpha1.BootstrapLabel: "true"}},
		Data:       map[string][]byte{"value": infra.Kubeconfig()},
	})).To(Succeed())
	reg := &v1alpha1.ClusterRegistration{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name}}
	reg.Spec.Bootstrap.KubeconfigSecretRef.Name = name + "-kubeconfig"
	for _, c := range change {
		c(reg)
	}
	Expect(kube.Create(ctx, reg)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { //nolint:contextcheck // the clean-up has a context of its own
		Expect(client.IgnoreNotFound(kube.Delete(ctx, reg))).To(Succeed())
		awaitGone(ctx, reg)
	})
	awaitReady(ctx, reg)
	return reg
}

func awaitReady(ctx context.Context, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(kube.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
		ready := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionReady)
		g.Expect(ready).NotTo(BeNil())
		g.Expect(ready.Status).To(Equal(metav1.ConditionTrue), "%v", reg.Status.Conditions)
		available := conditions.Find(reg.Status.Conditions, v1alpha1.ConditionPlaneAvailable)
		g.Expect(available.Reason).To(Equal(v1alpha1.ReasonAvailable))
	}).Should(Succeed())
}

func awaitGone(ctx context.Context, obj client.Object) {
	GinkgoHelper()
	Eventually(func() bool {
		return apierrors.IsNotFound(kube.Get(ctx, client.ObjectKeyFromObject(obj), obj))
	}).Should(BeTrue(), "%T %s", obj, obj.GetName())
}

// values are those of the chart hello.
func values(greeting string) string {
	GinkgoHelper()
	text, err := json.Marshal(map[string]any{"greeting": greeting, "nodeName": localargo.NodeName})
	Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// application is an Application of the chart hello.
func (t tenant) application(name string, destination map[string]any, change ...func(spec map[string]any)) *unstructured.Unstructured {
	GinkgoHelper()
	spec := map[string]any{
		"project":     argocd.ProjectName(t.namespace),
		"destination": destination,
		"source": map[string]any{
			"repoURL": bed.RepoURL(), "chart": localargo.HelloChart, "targetRevision": localargo.HelloVersion,
			"helm": map[string]any{"releaseName": name, "values": values("hello")},
		},
		"syncPolicy": map[string]any{
			"automated":   map[string]any{"prune": true, "selfHeal": true},
			"syncOptions": []any{"CreateNamespace=true", "ServerSideApply=true"}, "retry": map[string]any{},
		},
		"revisionHistoryLimit": int64(2),
	}
	for _, c := range change {
		c(spec)
	}
	app := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	app.SetGroupVersionKind(argocd.ApplicationKind)
	app.SetNamespace(t.namespace)
	app.SetName(name)
	app.SetFinalizers([]string{"resources-finalizer.argocd.argoproj.io/foreground"})
	return app
}

// clusterName is what the plane edge is called in Argo CD.
func (t tenant) clusterName() string { return argocd.ClusterName(t.namespace, "edge") }

// create creates an Application, which is deleted after the spec.
func create(ctx context.Context, app *unstructured.Unstructured) {
	GinkgoHelper()
	Expect(kube.Create(ctx, app)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { //nolint:contextcheck // the clean-up has a context of its own
		Expect(client.IgnoreNotFound(kube.Delete(ctx, app))).To(Succeed())
		awaitGone(ctx, app)
	})
}

func field(app *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(app.Object, path...)
	return text
}

// awaitHealthy waits until Argo CD has deployed the Application as it is now.
func awaitHealthy(ctx context.Context, app *unstructured.Unstructured) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(kube.Get(ctx, client.ObjectKeyFromObject(app), app)).To(Succeed())
		g.Expect(field(app, "status", "sync", "comparedTo", "source", "helm", "values")).To(Equal(field(app, "spec", "source", "helm", "values")))
		g.Expect([]string{field(app, "status", "sync", "status"), field(app, "status", "health", "status")}).To(
			Equal([]string{"Synced", "Healthy"}), "%v", explain(app))
	}).Should(Succeed())
}

// explain is what Argo CD says about an Application.
func explain(app *unstructured.Unstructured) string {
	found, _, _ := unstructured.NestedSlice(app.Object, "status", "conditions")
	return fmt.Sprintf("%v, operation %s: %s", found, field(app, "status", "operationState", "phase"), field(app, "status", "operationState", "message"))
}

// awaitRefusal waits until Argo CD refuses the Application as not permitted.
func awaitRefusal(ctx context.Context, app *unstructured.Unstructured, says string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(kube.Get(ctx, client.ObjectKeyFromObject(app), app)).To(Succeed())
		found, _, err := unstructured.NestedSlice(app.Object, "status", "conditions")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(ContainElement(And(HaveKeyWithValue("type", "InvalidSpecError"), HaveKeyWithValue("message", ContainSubstring(says)))))
	}).Should(Succeed())
}
