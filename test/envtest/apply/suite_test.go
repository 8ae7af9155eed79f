// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apply_test holds what only a real API server can show about pkg/apply
// and pkg/conditions: field ownership, no-op writes, races and preconditions.
package apply_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

var (
	kube      client.WithWatch
	converter managedfields.TypeConverter
)

func TestApply(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "apply on a real API server")
}

var _ = BeforeSuite(func() {
	kube = startServer(widgetCRD())

	parser, err := typed.NewParser(widgetSchema)
	Expect(err).NotTo(HaveOccurred())
	converter = apply.ChainConverters(
		applyconfigurations.NewTypeConverter(kube.Scheme()),
		managedfields.NewSchemeTypeConverter(kube.Scheme(), parser),
	)
})

// startServer runs etcd and a kube-apiserver for this suite, and stops them with
// it. It is the only place that knows how.
func startServer(crds ...*apiextensionsv1.CustomResourceDefinition) client.WithWatch {
	GinkgoHelper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		Fail("KUBEBUILDER_ASSETS is not set: run `make envtest-bin`, which builds etcd and kube-apiserver, and point it to their folder")
	}
	env := &envtest.Environment{CRDs: crds}
	config, err := env.Start()
	DeferCleanup(func() { Expect(env.Stop()).To(Succeed()) })
	Expect(err).NotTo(HaveOccurred())
	config.QPS = -1

	s := runtime.NewScheme()
	Expect(scheme.AddToScheme(s)).To(Succeed())
	addWidget(s)
	c, err := client.NewWithWatch(config, client.Options{Scheme: s})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// newNamespace makes a namespace for one spec. It is left behind: nothing in it
// runs, and without a controller manager it could not be emptied anyway.
func newNamespace(ctx SpecContext) string {
	GinkgoHelper()
	ns := &corev1.Namespace{}
	ns.GenerateName = "apply-"
	Expect(kube.Create(ctx, ns)).To(Succeed())
	return ns.Name
}

func applier(owner string) apply.Applier {
	GinkgoHelper()
	return applierOn(kube, owner)
}

func applierOn(c client.Client, owner string) apply.Applier {
	GinkgoHelper()
	a, err := apply.New(c, converter, owner)
	Expect(err).NotTo(HaveOccurred())
	return a
}

// reload reads the object again, in the same type.
func reload[T client.Object](ctx SpecContext, obj T) T {
	GinkgoHelper()
	fresh := obj.DeepCopyObject().(T)
	Expect(kube.Get(ctx, client.ObjectKeyFromObject(obj), fresh)).To(Succeed())
	return fresh
}

// managers lists who owns something of the object, as manager or manager/subresource.
func managers(obj client.Object) []string {
	var names []string
	for _, f := range obj.GetManagedFields() {
		name := f.Manager
		if f.Subresource != "" {
			name += "/" + f.Subresource
		}
		names = append(names, name)
	}
	return names
}
