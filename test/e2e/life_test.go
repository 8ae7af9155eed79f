//go:build e2e

// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// token is what Argo CD presents to a plane.
func (t tenant) token(ctx context.Context) string {
	GinkgoHelper()
	secret := &corev1.Secret{}
	Expect(kube.Get(ctx, client.ObjectKey{Namespace: localargo.Namespace, Name: t.clusterName()}, secret)).To(Succeed())
	config := struct {
		BearerToken string `json:"bearerToken"`
	}{}
	Expect(json.Unmarshal(secret.Data["config"], &config)).To(Succeed())
	return config.BearerToken
}

// accepted tells whether the infra plane lets a token in.
func accepted(ctx context.Context, token string) bool {
	GinkgoHelper()
	c, err := client.New(&rest.Config{Host: infra.Server(), BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: infra.CAData()}}, client.Options{})
	if apierrors.IsUnauthorized(err) {
		return false
	}
	Expect(err).NotTo(HaveOccurred())
	err = c.List(ctx, &corev1.NamespaceList{})
	if apierrors.IsUnauthorized(err) {
		return false
	}
	Expect(err).NotTo(HaveOccurred())
	return true
}

// greet changes the Application's values.
func greet(ctx context.Context, app *unstructured.Unstructured, greeting string) {
	GinkgoHelper()
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"source": map[string]any{"helm": map[string]any{"values": values(greeting)}}}})
	Expect(err).NotTo(HaveOccurred())
	Expect(kube.Patch(ctx, app, client.RawPatch("application/merge-patch+json", patch))).To(Succeed())
}

func greeting(ctx context.Context, namespace, name string) string {
	GinkgoHelper()
	config := &corev1.ConfigMap{}
	Expect(plane.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, config)).To(Succeed())
	return config.Data["greeting"]
}

var _ = Describe("A registered plane", func() {
	for _, kind := range []v1alpha1.TokenType{v1alpha1.TokenLongLived, v1alpha1.TokenBound} {
		It("is deployed to by Argo CD, through rotation, loss and removal of its credential: "+string(kind), func(ctx SpecContext) {
			t := newTenant()
			since, err := infra.AuditPosition()
			Expect(err).NotTo(HaveOccurred())
			reg := t.register(ctx, "edge", func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: kind} })

			By("syncing an Application with our credential")
			target := "hello-" + t.namespace
			app := t.application("hello", map[string]any{"name": t.clusterName(), "namespace": target})
			create(ctx, app)
			awaitHealthy(ctx, app)
			Expect(greeting(ctx, target, "hello")).To(Equal("hello"))
			made, err := infra.Audit(localplane.AuditFilter{Since: since, Resource: "deployments", Namespace: target, Verbs: []string{"patch", "create"}})
			Expect(err).NotTo(HaveOccurred())
			var who []string
			for _, e := range made {
				if e.Subresource == "" {
					who = append(who, e.User)
				}
			}
			Expect(who).To(And(Not(BeEmpty()), HaveEach("system:serviceaccount:kube-system:ccluster-manager")))

			By("rotating the token while Argo CD syncs")
			position, err := control.AuditPosition()
			Expect(err).NotTo(HaveOccurred())
			first := t.token(ctx)
			// A token is not replaced in its first minute.
			Eventually(func() time.Duration { return time.Since(reg.Status.Token.IssuedAt.Time) }).Should(BeNumerically(">", time.Minute))
			Expect(kube.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
			keep := client.MergeFrom(reg.DeepCopy())
			reg.Annotations = map[string]string{v1alpha1.RotateRequestedAtAnnotation: time.Now().Format(time.RFC3339)}
			Expect(kube.Patch(ctx, reg, keep)).To(Succeed())
			syncs := 0
			var rotated time.Time
			for ; rotated.IsZero() || time.Since(rotated) < 2*overlap; syncs++ {
				text := fmt.Sprintf("hello %d", syncs)
				greet(ctx, app, text)
				Eventually(func(g Gomega) {
					g.Expect(kube.Get(ctx, client.ObjectKeyFromObject(app), app)).To(Succeed())
					g.Expect(field(app, "status", "operationState", "phase")).NotTo(BeElementOf("Failed", "Error"), explain(app))
					g.Expect(greeting(ctx, target, "hello")).To(Equal(text), explain(app))
				}).Should(Succeed())
				if rotated.IsZero() && t.token(ctx) != first {
					rotated = time.Now()
				}
			}
			awaitHealthy(ctx, app)
			Eventually(func() bool { return accepted(ctx, first) }).Should(BeFalse(), "the former token is withdrawn")
			writes, err := control.Audit(localplane.AuditFilter{
				Since: position, Resource: "secrets", Namespace: localargo.Namespace, Verbs: []string{"create", "update", "patch", "delete"},
			})
			Expect(err).NotTo(HaveOccurred())
			Expect(writes).To(HaveLen(1), "one write for the rotation")
			AddReportEntry("syncs", fmt.Sprintf("%s: %d syncs around a rotation, none failed", kind, syncs), ReportEntryVisibilityAlways)

			By("deleting the ServiceAccount")
			second := t.token(ctx)
			Expect(plane.Delete(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "ccluster-manager"}})).To(Succeed())
			Eventually(func() string { return t.token(ctx) }).ShouldNot(Equal(second))
			greet(ctx, app, "again")
			Eventually(func() string { return greeting(ctx, target, "hello") }).Should(Equal("again"))
			awaitHealthy(ctx, app)
			awaitReady(ctx, reg)

			By("deleting the Application and the registration")
			Expect(kube.Delete(ctx, app)).To(Succeed())
			awaitGone(ctx, app)
			Eventually(func() bool {
				return apierrors.IsNotFound(plane.Get(ctx, client.ObjectKey{Namespace: target, Name: "hello"}, &corev1.ConfigMap{}))
			}).Should(BeTrue())
			third := t.token(ctx)
			Expect(kube.Delete(ctx, reg)).To(Succeed())
			awaitGone(ctx, reg)
			awaitGone(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: localargo.Namespace, Name: t.clusterName()}})
			Expect(accepted(ctx, third)).To(BeFalse())
		})
	}
})
