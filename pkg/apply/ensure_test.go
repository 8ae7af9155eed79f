// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestEnsureWritesOnlyWhatIsNeeded(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	a := newApplier(t, c, owner)
	other := newApplier(t, c, "other")
	ensure := func(live client.Object, data map[string]string) (bool, int) {
		wrote, err := a.Ensure(t.Context(), live, configMap(data), nil)
		g.Expect(err).NotTo(HaveOccurred())
		n := len(c.applies)
		c.applies = nil
		return wrote, n
	}

	var absent *corev1.ConfigMap
	wrote, n := ensure(absent, map[string]string{"k": "1"})
	g.Expect(wrote).To(BeTrue())
	g.Expect(n).To(Equal(1))

	wrote, n = ensure(readConfigMap(t, c), map[string]string{"k": "1"})
	g.Expect(wrote).To(BeFalse(), "nothing changed")
	g.Expect(n).To(BeZero())

	g.Expect(other.Object(t.Context(), configMap(map[string]string{"theirs": "1"}), nil)).To(Succeed())
	c.applies = nil
	wrote, n = ensure(readConfigMap(t, c), map[string]string{"k": "1"})
	g.Expect(wrote).To(BeFalse(), "another manager added a key")
	g.Expect(n).To(BeZero())

	g.Expect(other.Object(t.Context(), configMap(map[string]string{"k": "edited"}), nil)).To(Succeed())
	c.applies = nil
	wrote, n = ensure(readConfigMap(t, c), map[string]string{"k": "1"})
	g.Expect(wrote).To(BeTrue(), "another manager took our key over")
	g.Expect(n).To(Equal(1))
	g.Expect(readConfigMap(t, c).Data).To(Equal(map[string]string{"k": "1"}))

	wrote, n = ensure(readConfigMap(t, c), map[string]string{"k2": "1"})
	g.Expect(wrote).To(BeTrue(), "the intent changed")
	g.Expect(n).To(Equal(1))
	g.Expect(readConfigMap(t, c).Data).To(Equal(map[string]string{"k2": "1"}))
}

func TestEnsureFillsItsTarget(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	a := newApplier(t, c, owner)
	intent := configMap(map[string]string{"k": "1"})

	made := &corev1.ConfigMap{}
	wrote, err := a.Ensure(t.Context(), nil, intent, made)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(wrote).To(BeTrue())
	g.Expect(made.Data).To(Equal(map[string]string{"k": "1"}))

	typed, raw := &corev1.ConfigMap{Data: map[string]string{"stale": "1"}}, &unstructured.Unstructured{}
	for _, into := range []client.Object{typed, raw} {
		wrote, err = a.Ensure(t.Context(), made, intent, into)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(wrote).To(BeFalse())
		g.Expect(into.GetResourceVersion()).To(Equal(made.ResourceVersion))
		g.Expect(into.GetObjectKind().GroupVersionKind()).To(Equal(corev1.SchemeGroupVersion.WithKind("ConfigMap")))
	}
	g.Expect(typed.Data).To(Equal(map[string]string{"k": "1"}))
	g.Expect(raw.Object["data"]).To(Equal(map[string]any{"k": "1"}))

	wrote, err = a.Ensure(t.Context(), made, intent, made)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(wrote).To(BeFalse())
	g.Expect(made.Data).To(Equal(map[string]string{"k": "1"}))

	_, err = a.Ensure(t.Context(), made, intent, &corev1.Secret{})
	g.Expect(err).To(MatchError("apply ConfigMap team/settings: answer of kind ConfigMap does not fit into *v1.Secret"))
}

func TestEnsureSendsTheUIDItSaw(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	live := foreignConfigMap(t, c, map[string]string{"theirs": "1"})
	a := newApplier(t, c, owner)

	_, err := a.Ensure(t.Context(), live, configMap(map[string]string{"k": "1"}), nil)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = a.Ensure(t.Context(), live, configMap(map[string]string{"k": "2"}).WithUID("uid-given"), nil)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = a.Ensure(t.Context(), nil, configMap(map[string]string{"k": "3"}), nil)
	g.Expect(err).NotTo(HaveOccurred())

	g.Expect(c.applies).To(HaveLen(3))
	g.Expect(c.applies[0].body.GetUID()).To(BeEquivalentTo("uid-foreign"))
	g.Expect(c.applies[1].body.GetUID()).To(BeEquivalentTo("uid-given"))
	g.Expect(c.applies[2].body.GetUID()).To(BeEmpty())
}

func TestEnsureWritesWhatItCannotCompare(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "settings"},
		Data:       map[string]string{"k": "1"},
	})
	live := readConfigMap(t, c)
	live.ManagedFields = nil
	wrote, err := newApplier(t, c, owner).Ensure(t.Context(), live, configMap(map[string]string{"k": "1"}), nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(wrote).To(BeTrue())
	g.Expect(c.applies).To(HaveLen(1))
}

func TestEnsureReportsFailures(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	a := newApplier(t, c, owner)

	_, err := a.Ensure(t.Context(), nil, nil, nil)
	g.Expect(err).To(MatchError("decode intent: must not be nil"))

	_, err = a.Ensure(t.Context(), secret(managed(owner, "", "v1", `{}`)), configMap(nil), nil)
	g.Expect(err).To(MatchError(HavePrefix("compare ConfigMap team/settings: ")))
	g.Expect(c.applies).To(BeEmpty())

	c.fail = func(context.Context, int) error {
		return apierrors.NewForbidden(corev1.Resource("configmaps"), "settings", nil)
	}
	wrote, err := a.Ensure(t.Context(), nil, configMap(nil), nil)
	g.Expect(apierrors.IsForbidden(err)).To(BeTrue())
	g.Expect(wrote).To(BeFalse())
}

func TestEnsureStatus(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", UID: "uid-team"}})
	a := newApplier(t, c, owner)
	intent := corev1ac.Namespace("team").WithStatus(corev1ac.NamespaceStatus().WithPhase(corev1.NamespaceActive))

	_, err := a.EnsureStatus(t.Context(), nil, intent, nil)
	g.Expect(err).To(MatchError("apply status: live object must not be nil"))

	live := &corev1.Namespace{}
	g.Expect(c.Get(t.Context(), client.ObjectKey{Name: "team"}, live)).To(Succeed())
	wrote, err := a.EnsureStatus(t.Context(), live, intent, live)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(wrote).To(BeTrue())
	g.Expect(c.applies).To(HaveLen(1))
	g.Expect(c.applies[0].subresource).To(Equal("status"))
	g.Expect(live.Status.Phase).To(Equal(corev1.NamespaceActive))

	// The fake records no subresource in managedFields, as a server does.
	live.ManagedFields = []metav1.ManagedFieldsEntry{managed(owner, "status", "v1", `{"f:status":{"f:phase":{}}}`)}
	wrote, err = a.EnsureStatus(t.Context(), live, intent, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(wrote).To(BeFalse())
	g.Expect(c.applies).To(HaveLen(1))
}
