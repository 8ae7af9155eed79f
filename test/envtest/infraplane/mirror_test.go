// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// edit changes an object as somebody else.
func edit[T client.Object](h *harness, obj T, change func(T)) T {
	GinkgoHelper()
	Expect(h.kube.Get(h.ctx, client.ObjectKeyFromObject(obj), obj)).To(Succeed())
	change(obj)
	Expect(h.kube.Update(h.ctx, obj, client.FieldOwner("somebody"))).To(Succeed())
	return obj
}

// catchUp waits until the caches show an object as it is.
func (h *harness) catchUp(obj client.Object) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		for _, reader := range []client.Reader{h.cached, h.clusters} {
			seen := &corev1.Secret{}
			err := reader.Get(h.ctx, client.ObjectKeyFromObject(obj), seen)
			if err == nil {
				g.Expect(seen.ResourceVersion).To(Equal(obj.GetResourceVersion()))
			}
		}
	}).Should(Succeed())
}

func credentialsOf(plane *v1alpha1.CCLInfraPlane) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: plane.Namespace, Name: plane.Name + "-credentials"}}
}

var _ = Describe("A plane", func() {
	It("becomes a cluster Secret and a destination of its namespace's project", func(ctx SpecContext) {
		h := newHarness(ctx)
		token := h.token()
		plane := h.available(h.make("edge", data(token), func(s *corev1.Secret) {
			s.Labels = map[string]string{"region": "north", "app.kubernetes.io/name": "x"}
			s.Annotations = map[string]string{"note": "n", "argocd.argoproj.io/skip-reconcile": "true"}
		}))
		Expect(plane.Finalizers).To(Equal([]string{v1alpha1.InfraPlaneFinalizer}))
		name := h.namespace + ".edge"
		Expect(plane.Status.Server).To(Equal(infra.Server()))
		Expect(plane.Status.ArgoCDSecretName).To(Equal(name))
		Expect(plane.Status.ObservedGeneration).To(Equal(plane.Generation))

		secret := h.mirror(plane)
		Expect(secret.Labels).To(Equal(map[string]string{
			"argocd.argoproj.io/secret-type": "cluster", "ccluster.nvidia.com/managed": "cluster", "region": "north",
		}))
		Expect(secret.Annotations).To(Equal(map[string]string{"ccluster.nvidia.com/infra-plane": h.namespace + "/edge", "note": "n"}))
		Expect(string(secret.Data["name"])).To(Equal(name))
		Expect(string(secret.Data["server"])).To(Equal(infra.Server()))
		Expect(string(secret.Data["project"])).To(Equal("ccluster-" + h.namespace))
		Expect(secret.Data).To(HaveLen(4))
		config := map[string]any{}
		Expect(json.Unmarshal(secret.Data["config"], &config)).To(Succeed())
		Expect(config).To(HaveLen(2))
		Expect(config["bearerToken"]).To(Equal(token))

		project := h.project()
		Expect(project.Object["spec"]).To(Equal(map[string]any{
			"description": "Infra planes of namespace " + h.namespace,
			"sourceRepos": []any{repo}, "sourceNamespaces": []any{h.namespace},
			"destinations":             []any{map[string]any{"name": name, "namespace": "*"}},
			"clusterResourceWhitelist": []any{map[string]any{"group": "*", "kind": "*"}},
		}))
		Expect(h.events()).To(Equal([]string{"Normal Available Available is True"}))

		By("writing nothing while nothing changes, and asking once a period")
		h.calls.made = nil
		for range 20 {
			h.once(client.ObjectKeyFromObject(plane))
		}
		Expect(h.mirror(plane).ResourceVersion).To(Equal(secret.ResourceVersion))
		Expect(h.project().GetResourceVersion()).To(Equal(project.GetResourceVersion()))
		Expect(h.available(plane).ResourceVersion).To(Equal(plane.ResourceVersion))
		Expect(len(h.calls.made)).To(BeNumerically("<=", 21))
		Expect(h.calls.made).To(HaveEach("create selfsubjectreviews"))
		h.restart()
		h.once(client.ObjectKeyFromObject(plane))
		Expect(h.mirror(plane).ResourceVersion).To(Equal(secret.ResourceVersion))
		Expect(h.project().GetResourceVersion()).To(Equal(project.GetResourceVersion()))
		Expect(h.events()).To(BeEmpty())
	})

	It("is bound to namespaces in Argo CD as its credentials say", func(ctx SpecContext) {
		h := newHarness(ctx)
		content := data(h.token())
		content["namespaces"], content["clusterResources"] = []byte("b,a"), []byte("false")
		plane := h.available(h.make("edge", content))
		secret := h.mirror(plane)
		Expect(string(secret.Data["namespaces"])).To(Equal("a,b"))
		Expect(string(secret.Data["clusterResources"])).To(Equal("false"))
		Expect(h.project().Object["spec"]).NotTo(HaveKey("clusterResourceWhitelist"))

		By("widening")
		edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Data["clusterResources"] = []byte("true") })
		h.available(plane)
		Expect(h.project().Object["spec"]).To(HaveKey("clusterResourceWhitelist"))
		edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Data["clusterResources"] = []byte("false") })
		h.available(plane)
		Expect(h.project().Object["spec"]).NotTo(HaveKey("clusterResourceWhitelist"))
	})

	It("takes over another credential in one write", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		before := h.mirror(plane)
		next := h.token()
		edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Data = data(next) })
		audit, err := control.AuditPosition()
		Expect(err).NotTo(HaveOccurred())
		for range 5 {
			h.once(client.ObjectKeyFromObject(plane))
		}
		after := h.mirror(plane)
		Expect(after.UID).To(Equal(before.UID))
		Expect(string(after.Data["config"])).To(ContainSubstring(next))
		Expect(h.writes(audit, "secrets", h.argo)).To(Equal(1))
		h.available(plane)
	})

	It("passes labels and annotations on as they come and go, and leaves those of others", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		h.catchUp(edit(h, h.mirror(plane), func(s *corev1.Secret) {
			s.Labels["team"], s.Annotations["argocd.argoproj.io/refresh"] = "x", "2026-12-01T00:00:00Z"
		}))
		edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Labels = map[string]string{"region": "north", "k8s.io/a": "b"} })
		h.available(plane)
		Expect(h.mirror(plane).Labels).To(HaveKeyWithValue("region", "north"))
		edit(h, credentialsOf(plane), func(s *corev1.Secret) { s.Labels = map[string]string{"zone": "a"} })
		h.available(plane)
		Expect(h.mirror(plane).Labels).To(Equal(map[string]string{
			"argocd.argoproj.io/secret-type": "cluster", "ccluster.nvidia.com/managed": "cluster", "zone": "a", "team": "x",
		}))
		Expect(h.mirror(plane).Annotations).To(HaveKeyWithValue("argocd.argoproj.io/refresh", "2026-12-01T00:00:00Z"))
	})

	for name, change := range map[string]func(*corev1.Secret){
		"it was renamed":                     func(s *corev1.Secret) { s.Data["name"] = []byte("mine") },
		"another credential was added to it": func(s *corev1.Secret) { s.Data["config"] = []byte(`{"bearerToken":"x"}`) },
		"its project was taken away":         func(s *corev1.Secret) { delete(s.Data, "project") },
		"its server was changed":             func(s *corev1.Secret) { s.Data["server"] = []byte("https://other.example.com") },
		"its label was removed":              func(s *corev1.Secret) { delete(s.Labels, argocd.SecretTypeLabel) },
		"its marker was removed":             func(s *corev1.Secret) { s.Labels, s.Annotations = nil, nil },
	} {
		It("is put right in Argo CD when "+name, func(ctx SpecContext) {
			h := newHarness(ctx)
			plane := h.available(h.make("edge", data(h.token())))
			before := h.mirror(plane)
			h.events()
			h.catchUp(edit(h, h.mirror(plane), change))
			h.available(plane)
			after := h.mirror(plane)
			Expect(after.Data).To(Equal(before.Data))
			Expect(after.Labels).To(Equal(before.Labels))
			Expect(after.Annotations).To(Equal(before.Annotations))
			Expect(h.events()).To(Equal([]string{"Normal Repaired Secret " + h.argo + "/" + after.Name + " had been changed or deleted and is as it should be again"}))
		})
	}

	It("comes back in Argo CD when its cluster was removed there", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		before := h.mirror(plane)
		h.events()
		Expect(h.kube.Delete(ctx, before)).To(Succeed())
		Eventually(func() bool {
			return apierrors.IsNotFound(h.clusters.Get(ctx, client.ObjectKeyFromObject(before), &corev1.Secret{}))
		}).Should(BeTrue())
		h.available(plane)
		Expect(h.mirror(plane).Data).To(Equal(before.Data))
		Expect(h.events()).To(HaveLen(1))
	})

	It("has its project put right", func(ctx SpecContext) {
		h := newHarness(ctx)
		plane := h.available(h.make("edge", data(h.token())))
		before := h.project()
		edit(h, h.project(), func(u *unstructured.Unstructured) {
			Expect(unstructured.SetNestedStringSlice(u.Object, []string{"*"}, "spec", "sourceRepos")).To(Succeed())
			Expect(unstructured.SetNestedStringSlice(u.Object, []string{"*"}, "spec", "sourceNamespaces")).To(Succeed())
		})
		h.restart()
		h.available(plane)
		Expect(h.project().Object["spec"]).To(Equal(before.Object["spec"]))
	})

	It("shares its namespace's project with others, and with nobody else", func(ctx SpecContext) {
		h := newHarness(ctx)
		first := h.available(h.make("a", data(h.token())))
		second := h.make("b", data(h.token()), func(s *corev1.Secret) { s.Data["server"] = []byte(infra.Server() + "/b") })
		h.settle(second, metav1.ConditionFalse, v1alpha1.ReasonNotAKubernetesAPI)
		Expect(h.clusterSecrets()).To(ConsistOf(h.namespace+".a", h.namespace+".b"))
		destinations, _, err := unstructured.NestedSlice(h.project().Object, "spec", "destinations")
		Expect(err).NotTo(HaveOccurred())
		Expect(destinations).To(Equal([]any{
			map[string]any{"name": h.namespace + ".a", "namespace": "*"}, map[string]any{"name": h.namespace + ".b", "namespace": "*"},
		}))
		h.available(first)
	})

	It("leaves what somebody else has under its names", func(ctx SpecContext) {
		h := newHarness(ctx)
		name := argocd.ClusterName(h.namespace, "edge")
		foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: h.argo, Name: name}, Data: map[string][]byte{"server": []byte("https://other.example.com")}}
		Expect(h.kube.Create(ctx, foreign)).To(Succeed())
		plane := h.make("edge", data(h.token()))
		h.settle(plane, metav1.ConditionFalse, v1alpha1.ReasonForeignObject)
		live := &corev1.Secret{}
		Expect(h.kube.Get(ctx, client.ObjectKeyFromObject(foreign), live)).To(Succeed())
		Expect(live.ResourceVersion).To(Equal(foreign.ResourceVersion))
		Expect(h.kube.Delete(ctx, foreign)).To(Succeed())
		h.available(plane)
	})
})
