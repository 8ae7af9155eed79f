// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var widgetKind = schema.GroupVersionKind{Group: "localplane.test", Version: "v1", Kind: "Widget"}

func widget(namespace, name string, size int64) *unstructured.Unstructured {
	w := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": size}}}
	w.SetGroupVersionKind(widgetKind)
	w.SetNamespace(namespace)
	w.SetName(name)
	return w
}

func configMap(namespace, name string, owners ...client.Object) *corev1.ConfigMap {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, owner := range owners {
		version, kind := owner.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
		c.OwnerReferences = append(c.OwnerReferences, metav1.OwnerReference{
			APIVersion: version, Kind: kind, Name: owner.GetName(), UID: owner.GetUID(),
		})
	}
	return c
}

var _ = Describe("the controller manager", func() {
	var c client.Client

	BeforeEach(func() {
		var err error
		c, err = client.New(full.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
	})

	gone := func(ctx SpecContext, obj client.Object) func() error {
		return func() error { return c.Get(ctx, client.ObjectKeyFromObject(obj), obj) }
	}

	It("finishes the deletion of a namespace with what is in it", func(ctx SpecContext) {
		ns := namespace()
		Expect(c.Create(ctx, configMap(ns, "content"))).To(Succeed())
		Expect(c.Create(ctx, widget(ns, "content", 1))).To(Succeed())
		object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}
		Expect(c.Delete(ctx, object)).To(Succeed())
		Eventually(gone(ctx, object)).Should(Satisfy(apierrors.IsNotFound))
		Expect(c.Get(ctx, client.ObjectKey{Namespace: ns, Name: "content"}, &corev1.ConfigMap{})).To(Satisfy(apierrors.IsNotFound))
	})

	It("collects what deleted objects own, built-in and custom", func(ctx SpecContext) {
		ns := namespace()
		owner := configMap(ns, "owner")
		Expect(c.Create(ctx, owner)).To(Succeed())
		owner.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		custom := widget(ns, "owner", 1)
		Expect(c.Create(ctx, custom)).To(Succeed())
		ownedByBoth := configMap(ns, "owned-by-both", owner, custom)
		owned := configMap(ns, "owned", owner)
		for _, object := range []client.Object{ownedByBoth, owned} {
			Expect(c.Create(ctx, object)).To(Succeed())
		}

		Expect(c.Delete(ctx, owner)).To(Succeed())
		Eventually(gone(ctx, owned)).Should(Satisfy(apierrors.IsNotFound))
		Expect(gone(ctx, ownedByBoth)()).To(Succeed(), "one owner is left")
		Expect(c.Delete(ctx, custom)).To(Succeed())
		Eventually(gone(ctx, ownedByBoth)).Should(Satisfy(apierrors.IsNotFound))
	})

	It("can be stopped and started again", func(ctx SpecContext) {
		cs, ns := clientset(full.Config()), namespace()
		createServiceAccount(ctx, cs, ns)
		Expect(full.StopControllerManager()).To(Succeed())
		Expect(full.Check()).To(Succeed(), "nothing ended that should not")
		createTokenSecret(ctx, cs, ns)
		data := tokenData(ctx, cs, ns)
		Consistently(data).ShouldNot(HaveKey("token"))

		Expect(full.StartControllerManager(ctx)).To(Succeed())
		Eventually(data).Should(HaveKey("token"))
		Expect(full.StartControllerManager(ctx)).To(Succeed(), "it runs already")
	})

	It("can be left out", func(ctx SpecContext) {
		cs := clientset(bare.Config())
		Consistently(func() error {
			_, err := cs.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
			return err
		}).Should(Satisfy(apierrors.IsNotFound))
		Expect(bare.StartControllerManager(ctx)).To(MatchError("start controller manager: plane bare has none"))
		Expect(bare.StopControllerManager()).To(Succeed())
	})
})

var _ = Describe("CRDs", func() {
	It("are served with their schema", func(ctx SpecContext) {
		c, err := client.New(full.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Create(ctx, widget(namespace(), "none", 0))).To(Satisfy(apierrors.IsInvalid))
	})

	It("can be installed later", func(ctx SpecContext) {
		Expect(bare.InstallCRDs("testdata/crds")).To(Succeed())
		c, err := client.New(bare.Config(), client.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Create(ctx, widget(metav1.NamespaceDefault, "later", 1))).To(Succeed())
	})

	It("have to exist", func() {
		Expect(bare.InstallCRDs("testdata/none")).To(MatchError(ContainSubstring("testdata/none")))
	})
})
