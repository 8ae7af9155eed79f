//go:build e2e

// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/localargo"
)

// schemaOf is the spec's in one of Argo CD's own definitions.
func schemaOf(name string) apiextensionsv1.JSONSchemaProps {
	GinkgoHelper()
	content, err := os.ReadFile(filepath.Join(localargo.CRDs("../.."), name+"-crd.yaml"))
	Expect(err).NotTo(HaveOccurred())
	crd := &apiextensionsv1.CustomResourceDefinition{}
	Expect(yaml.Unmarshal(content, crd)).To(Succeed())
	Expect(crd.Spec.Versions).To(HaveLen(1))
	Expect(crd.Spec.Versions[0].Name).To(Equal(argocd.GroupVersion.Version))
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

// compare tells that every field of a type is one of the schema, and of its type.
func compare(kind reflect.Type, schema apiextensionsv1.JSONSchemaProps, path string) int {
	GinkgoHelper()
	switch kind.Kind() {
	case reflect.String:
		Expect(schema.Type).To(Equal("string"), path)
		return 1
	case reflect.Slice:
		Expect(schema.Type).To(Equal("array"), path)
		return compare(kind.Elem(), *schema.Items.Schema, path+"[]")
	case reflect.Struct:
		Expect(schema.Type).To(Equal("object"), path)
	default:
		Fail("a type that is not compared: " + kind.String())
	}
	fields := 0
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		Expect(schema.Properties).To(HaveKey(name), path)
		fields += compare(kind.Field(i).Type, schema.Properties[name], path+"."+name)
	}
	return fields
}

var _ = Describe("The part of Argo CD's API that is used", func() {
	It("is as Argo CD's own definitions have it: AppProject", func() {
		Expect(compare(reflect.TypeFor[argocd.ProjectSpec](), schemaOf("appproject"), "spec")).To(Equal(8))
	})

	It("is as Argo CD's own definitions have it: Application", func() {
		spec := schemaOf("application")
		Expect(spec.Properties["project"].Type).To(Equal("string"))
		for _, name := range []string{"name", "server"} {
			Expect(spec.Properties["destination"].Properties[name].Type).To(Equal("string"))
		}
	})
})
