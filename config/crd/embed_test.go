// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func TestCustomResourceDefinitions(t *testing.T) {
	g := NewWithT(t)
	crds, err := CustomResourceDefinitions()
	g.Expect(err).NotTo(HaveOccurred())

	var names []string
	for _, crd := range crds {
		names = append(names, crd.Name)
		g.Expect(crd.Spec.Group).To(Equal("ccluster.nvidia.com"))
		g.Expect(crd.Spec.Scope).To(Equal(apiextensionsv1.NamespaceScoped))
		g.Expect(crd.Spec.Versions).To(HaveLen(1))
		version := crd.Spec.Versions[0]
		g.Expect(version.Name).To(Equal("v1alpha1"))
		g.Expect(version.Served && version.Storage).To(BeTrue())
		g.Expect(version.Subresources.Status).NotTo(BeNil())
		g.Expect(version.Schema.OpenAPIV3Schema.Properties).To(And(HaveKey("spec"), HaveKey("status")))
	}
	g.Expect(names).To(Equal([]string{
		"cclcomponentsets.ccluster.nvidia.com", "cclinfraplanes.ccluster.nvidia.com", "clusterregistrations.ccluster.nvidia.com",
	}))
}

func TestCustomResourceDefinitionsAreFresh(t *testing.T) {
	g := NewWithT(t)
	first, err := CustomResourceDefinitions()
	g.Expect(err).NotTo(HaveOccurred())
	first[0].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties = nil
	second, err := CustomResourceDefinitions()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second[0].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties).NotTo(BeEmpty())
}

// TestKustomizationListsEveryBase: a new kind must reach `kubectl apply -k` too.
func TestKustomizationListsEveryBase(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile("kustomization.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var kustomization struct {
		Resources []string `json:"resources"`
	}
	g.Expect(yaml.Unmarshal(content, &kustomization)).To(Succeed())
	files, err := filepath.Glob("bases/*.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(kustomization.Resources).To(Equal(files))
}
