// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// application creates an Application, which nobody works on here.
func (h *harness) application(namespace, name, project string, destination map[string]any) *unstructured.Unstructured {
	GinkgoHelper()
	app := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"project": project, "destination": destination,
		"source": map[string]any{"repoURL": repo, "chart": "hello", "targetRevision": "1.0.0"},
	}}}
	app.SetGroupVersionKind(argocd.ApplicationKind)
	app.SetNamespace(namespace)
	app.SetName(name)
	Expect(h.kube.Create(h.ctx, app)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(h.kube.Delete(ctx, app))).To(Succeed()) })
	return app
}

func (h *harness) projectGone() bool {
	GinkgoHelper()
	return apierrors.IsNotFound(h.kube.Get(h.ctx, client.ObjectKey{Namespace: h.argo, Name: argocd.ProjectName(h.namespace)}, argocd.NewProjectObject()))
}

var _ = Describe("A plane that is deleted", func() {
	It("takes its cluster Secret along, and with the last plane the project", func(ctx SpecContext) {
		h := newHarness(ctx)
		first := h.available(h.make("a", data(h.token())))
		second := h.make("b", data(h.token()), func(s *corev1.Secret) { s.Data["server"] = []byte(infra.Server() + "/b") })
		h.settle(second, metav1.ConditionFalse, v1alpha1.ReasonNotAKubernetesAPI)

		Expect(h.kube.Delete(ctx, first)).To(Succeed())
		h.gone(client.ObjectKeyFromObject(first))
		Expect(h.clusterSecrets()).To(Equal([]string{h.namespace + ".b"}))
		destinations, _, err := unstructured.NestedSlice(h.project().Object, "spec", "destinations")
		Expect(err).NotTo(HaveOccurred())
		Expect(destinations).To(Equal([]any{map[string]any{"name": h.namespace + ".b", "namespace": "*"}}))

		Expect(h.kube.Delete(ctx, second)).To(Succeed())
		h.gone(client.ObjectKeyFromObject(second))
		Expect(h.clusterSecrets()).To(BeEmpty())
		Expect(h.projectGone()).To(BeTrue())
	})

	It("takes the project along when several go at one time, whatever the caches show", func(ctx SpecContext) {
		h := newHarness(ctx)
		planes := []*v1alpha1.CCLInfraPlane{h.available(h.make("a", data(h.token())))}
		second := h.make("b", data(h.token()), func(s *corev1.Secret) { s.Data["server"] = []byte(infra.Server() + "/b") })
		planes = append(planes, h.settle(second, metav1.ConditionFalse, v1alpha1.ReasonNotAKubernetesAPI))
		for _, plane := range planes {
			Expect(h.kube.Delete(ctx, plane)).To(Succeed())
		}
		for _, plane := range planes {
			// One pass each, right after the other.
			h.once(client.ObjectKeyFromObject(plane))
		}
		Expect(h.clusterSecrets()).To(BeEmpty())
		Expect(h.projectGone()).To(BeTrue())
	})

	for name, destination := range map[string]func(*harness) map[string]any{
		"by its name":               func(h *harness) map[string]any { return map[string]any{"name": h.namespace + ".edge"} },
		"by its server":             func(*harness) map[string]any { return map[string]any{"server": infra.Server()} },
		"by its server, with slash": func(*harness) map[string]any { return map[string]any{"server": infra.Server() + "/"} },
	} {
		It("waits for the Applications that deploy to it, "+name, func(ctx SpecContext) {
			h := newHarness(ctx)
			plane := h.available(h.make("edge", data(h.token())))
			app := h.application(h.namespace, "app", "ccluster-"+h.namespace, destination(h))
			fromArgo := h.application(h.argo, "admins", "default", destination(h))
			Expect(h.kube.Delete(ctx, plane)).To(Succeed())
			live := h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonDraining)
			message := conditions.Find(live.Status.Conditions, v1alpha1.ConditionAvailable).Message
			Expect(message).To(And(ContainSubstring(h.namespace+"/app"), ContainSubstring(h.argo+"/admins")))
			for range 20 {
				h.once(client.ObjectKeyFromObject(plane))
			}
			Expect(h.clusterSecrets()).To(HaveLen(1))
			Expect(h.projectGone()).To(BeFalse())

			Expect(h.kube.Delete(ctx, app)).To(Succeed())
			h.once(client.ObjectKeyFromObject(plane))
			Expect(h.clusterSecrets()).To(HaveLen(1))
			Expect(h.kube.Delete(ctx, fromArgo)).To(Succeed())
			h.gone(client.ObjectKeyFromObject(plane))
			Expect(h.clusterSecrets()).To(BeEmpty())
			Expect(h.events()).NotTo(ContainElement(ContainSubstring("WorkloadsOrphaned")))
		})
	}

	It("keeps the project for Applications that need it, wherever they deploy to", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		app := h.application(h.namespace, "app", "ccluster-"+h.namespace, map[string]any{"name": "gone"})
		h.application(h.namespace, "another", "default", map[string]any{"name": "gone"})
		Expect(h.kube.Delete(ctx, plane)).To(Succeed())
		h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonDraining)
		Expect(h.kube.Delete(ctx, app)).To(Succeed())
		h.gone(client.ObjectKeyFromObject(plane))
		Expect(h.projectGone()).To(BeTrue())
	})

	It("does not wait for ever, and says what it leaves", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		h.application(h.namespace, "app", "ccluster-"+h.namespace, map[string]any{"name": h.namespace + ".edge"})
		Expect(h.kube.Delete(ctx, plane)).To(Succeed())
		start := h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonDraining).DeletionTimestamp.Time
		h.gone(client.ObjectKeyFromObject(plane))
		Expect(h.clock.Now().Sub(start)).To(BeNumerically("~", 30*time.Minute, time.Minute))
		Expect(h.clusterSecrets()).To(BeEmpty())
		Expect(h.events()).To(ContainElement("Warning WorkloadsOrphaned The plane was removed although Applications deploy to it; what they have deployed stays there: " + h.namespace + "/app"))
	})

	It("leaves a cluster Secret and a project that are not its own", func(ctx SpecContext) {
		h := newHarness(ctx)
		foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: h.argo, Name: h.namespace + ".edge"}}
		Expect(h.kube.Create(ctx, foreign)).To(Succeed())
		plane := h.make("edge", data(h.token()))
		h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonForeignObject)
		Expect(h.kube.Delete(ctx, plane)).To(Succeed())
		h.gone(client.ObjectKeyFromObject(plane))
		Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(foreign), foreign)).To(Succeed())
	})
})

var _ = Describe("A plane whose server changes", func() {
	moved := func(s *corev1.Secret) { s.Data["server"] = []byte(infra.Server() + "/moved") }

	It("gets another cluster Secret: Argo CD would go on watching the former server", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		before := h.mirror(plane)
		edit(h, credentialsOf(plane), moved)
		live := h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonNotAKubernetesAPI)
		after := h.mirror(plane)
		Expect(after.UID).NotTo(Equal(before.UID))
		Expect(after.Name).To(Equal(before.Name))
		Expect(string(after.Data["server"])).To(Equal(infra.Server() + "/moved"))
		Expect(live.Status.Server).To(Equal(infra.Server() + "/moved"))
	})

	It("keeps the former one while an Application is being deleted there", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		app := h.application(h.namespace, "app", "ccluster-"+h.namespace, map[string]any{"name": h.namespace + ".edge"})
		edit(h, app, func(u *unstructured.Unstructured) { u.SetFinalizers([]string{"example.com/held"}) })
		Expect(h.kube.Delete(ctx, app)).To(Succeed())
		before := h.mirror(plane)
		edit(h, credentialsOf(plane), moved)
		h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonDraining)
		Expect(h.mirror(plane).ResourceVersion).To(Equal(before.ResourceVersion))
		edit(h, app, func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
		h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonNotAKubernetesAPI)
		Expect(h.mirror(plane).UID).NotTo(Equal(before.UID))
	})
})
