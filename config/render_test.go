// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package config_test renders every kustomization and checks what comes out.
package config_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// rendered is what one kustomization comes to.
type rendered []client.Object

// built has what was rendered before: tests only read it.
var built = map[string]rendered{}

// render builds a kustomization. Every object must be of a known kind and have no field that
// its kind does not have, but for those of the Prometheus Operator.
func render(t *testing.T, dir string) rendered {
	t.Helper()
	if _, ok := built[dir]; !ok {
		built[dir] = build(t, dir)
	}
	return built[dir]
}

func build(t *testing.T, dir string) rendered {
	t.Helper()
	g := NewWithT(t)
	scheme, err := ccluster.NewScheme()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(apiextensionsv1.AddToScheme(scheme)).To(Succeed())
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()

	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	g.Expect(err).NotTo(HaveOccurred())
	objects := make(rendered, 0, resources.Size())
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		g.Expect(err).NotTo(HaveOccurred())
		if r.GetGvk().Group == "monitoring.coreos.com" {
			// Another project's kinds, whose types are not known here.
			other := &unstructured.Unstructured{}
			g.Expect(yaml.Unmarshal(text, other)).To(Succeed())
			objects = append(objects, other)
			continue
		}
		object, _, err := decoder.Decode(text, nil, nil)
		g.Expect(err).NotTo(HaveOccurred(), string(text))
		objects = append(objects, object.(client.Object))
	}
	return objects
}

// all returns the objects of a type.
func all[T client.Object](objects rendered) []T {
	var found []T
	for _, o := range objects {
		if typed, ok := o.(T); ok {
			found = append(found, typed)
		}
	}
	return found
}

// one returns the object of a type and name.
func one[T client.Object](t *testing.T, objects rendered, name string) T {
	t.Helper()
	for _, o := range all[T](objects) {
		if o.GetName() == name {
			return o
		}
	}
	var none T
	t.Fatalf("no %T %s is rendered", none, name)
	return none
}

// id is a kind, namespace and name.
func id(t *testing.T, scheme *runtime.Scheme, o client.Object) string {
	t.Helper()
	gvk, err := apiutil.GVKForObject(o, scheme)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return strings.Join([]string{gvk.GroupKind().String(), o.GetNamespace(), o.GetName()}, "/")
}

// kustomizations finds every folder with a kustomization.yaml.
func kustomizations(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == "kustomization.yaml" {
			dirs = append(dirs, filepath.Dir(path))
		}
		return err
	})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return dirs
}

func TestEveryKustomizationRenders(t *testing.T) {
	dirs := kustomizations(t)
	NewWithT(t).Expect(dirs).To(ContainElements(
		"crd", "rbac", "manager", "default", "samples", "namespaced", "registration-only", "network-policy"))
	scheme, err := ccluster.NewScheme()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(apiextensionsv1.AddToScheme(scheme)).To(Succeed())
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			g := NewWithT(t)
			objects := render(t, dir)
			g.Expect(objects).NotTo(BeEmpty())
			ids := make([]string, len(objects))
			for i, o := range objects {
				ids[i] = id(t, scheme, o)
			}
			slices.Sort(ids)
			g.Expect(slices.Compact(slices.Clone(ids))).To(Equal(ids), "each object once")
		})
	}
}
