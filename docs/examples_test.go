// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// handwritten are the pages that people write.
func handwritten(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return append(pages, "../README.md")
}

func TestManifestsAreValid(t *testing.T) {
	valid := 0
	for _, path := range handwritten(t) {
		for _, block := range read(t, path).blocks("yaml") {
			for _, object := range documents(t, path, block) {
				if object.GroupVersionKind().Group != v1alpha1.Group {
					continue
				}
				NewWithT(t).Expect(ccluster.Validate(object)).To(Succeed(), "%s in %s", object.GetName(), path)
				valid++
			}
		}
	}
	// One per page, at least.
	NewWithT(t).Expect(valid).To(BeNumerically(">=", len(handwritten(t))), "manifests in the pages")
}

func documents(t *testing.T, path, block string) []*unstructured.Unstructured {
	t.Helper()
	var found []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(block), len(block))
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return found
		}
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), path)
		found = append(found, object)
	}
}

// TestLibraryExampleIsTheTestedOne compares README.md with a function of an Example test.
func TestLibraryExampleIsTheTestedOne(t *testing.T) {
	g := NewWithT(t)
	const source = "../pkg/ccluster/example_test.go"
	text, err := os.ReadFile(source)
	g.Expect(err).NotTo(HaveOccurred())
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, source, text, parser.SkipObjectResolution)
	g.Expect(err).NotTo(HaveOccurred())
	var function []byte
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.Name == "registerEdge" {
			function = text[files.Position(f.Pos()).Offset:files.Position(f.End()).Offset]
		}
	}
	g.Expect(function).NotTo(BeEmpty())
	g.Expect(read(t, "../README.md").blocks("go")).To(Equal([]string{string(bytes.TrimSpace(function)) + "\n"}))
}
