//go:build e2e

// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

var _ = Describe("A tenant", func() {
	It("reaches its own planes with charts of the catalog, and nothing else", func(ctx SpecContext) {
		owner, other := newTenant(), newTenant()
		owner.register(ctx, "edge")
		// It has a project of its own, but no plane that can be reached.
		Expect(kube.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: other.namespace, Name: "own-credentials"},
			Data:       map[string][]byte{"server": []byte("https://127.0.0.1:1"), "config": []byte(`{"bearerToken":"x"}`)},
		})).To(Succeed())
		own := &v1alpha1.CCLInfraPlane{ObjectMeta: metav1.ObjectMeta{Namespace: other.namespace, Name: "own"}}
		own.Spec.ClusterCredentialsRef.Name = "own-credentials"
		Expect(kube.Create(ctx, own)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			Expect(client.IgnoreNotFound(kube.Delete(ctx, own))).To(Succeed())
			awaitGone(ctx, own)
		})
		Eventually(func(g Gomega) {
			g.Expect(kube.Get(ctx, client.ObjectKeyFromObject(own), own)).To(Succeed())
			g.Expect(conditions.Find(own.Status.Conditions, v1alpha1.ConditionAvailable)).To(HaveField("Reason", v1alpha1.ReasonConnectionFailed))
		}).Should(Succeed())

		for name, destination := range map[string]map[string]any{
			"by-name":   {"name": owner.clusterName(), "namespace": "stolen"},
			"by-server": {"server": infra.Server(), "namespace": "stolen"},
			"hub":       {"server": "https://kubernetes.default.svc", "namespace": "stolen"},
			"hub-name":  {"name": "in-cluster", "namespace": "stolen"},
		} {
			By(name)
			app := other.application(name, destination)
			app.SetFinalizers(nil)
			create(ctx, app)
			awaitRefusal(ctx, app, "do not match any of the allowed destinations in project")
		}
		By("another's project")
		borrowed := other.application("borrowed", map[string]any{"name": owner.clusterName(), "namespace": "stolen"}, func(spec map[string]any) {
			spec["project"] = "ccluster-" + owner.namespace
		})
		borrowed.SetFinalizers(nil)
		create(ctx, borrowed)
		Eventually(func(g Gomega) {
			g.Expect(kube.Get(ctx, client.ObjectKeyFromObject(borrowed), borrowed)).To(Succeed())
			g.Expect(explain(borrowed)).To(ContainSubstring("is not permitted to use project"))
		}).Should(Succeed())
		By("another repository")
		foreign := owner.application("foreign", map[string]any{"name": owner.clusterName(), "namespace": "stolen"}, func(spec map[string]any) {
			source, ok := spec["source"].(map[string]any)
			Expect(ok).To(BeTrue())
			source["repoURL"] = "https://charts.example.com"
		})
		foreign.SetFinalizers(nil)
		create(ctx, foreign)
		awaitRefusal(ctx, foreign, "is not permitted in project")

		Expect(apierrors.IsNotFound(plane.Get(ctx, client.ObjectKey{Name: "stolen"}, &corev1.Namespace{}))).To(BeTrue())
		Expect(apierrors.IsNotFound(kube.Get(ctx, client.ObjectKey{Name: "stolen"}, &corev1.Namespace{}))).To(BeTrue())
	})
})
