// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Command apidocs writes one Markdown page per CustomResourceDefinition, and an index. It is
// deterministic: the same definitions give the same bytes.
//
//	apidocs CRD_FOLDER OUTPUT_FOLDER
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: apidocs CRD_FOLDER OUTPUT_FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "apidocs:", err)
		os.Exit(1)
	}
}

// run replaces all pages in output by those of the definitions in input.
func run(input, output string) error {
	crds, err := load(input)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(output, 0o755); err != nil { //nolint:gosec // Documentation is for everybody to read.
		return err
	}
	stale, err := filepath.Glob(filepath.Join(output, "*.md"))
	if err != nil {
		return err
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil { //nolint:gosec // The caller names the folder to write to.
			return err
		}
	}
	pages := map[string]string{"README.md": renderIndex(crds)}
	for _, crd := range crds {
		pages[pageName(crd)] = renderPage(crd)
	}
	for name, page := range pages {
		path := filepath.Join(output, name)
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil { //nolint:gosec // Documentation is for everybody to read.
			return err
		}
	}
	return nil
}

// load reads every definition of the folder, sorted by kind.
func load(folder string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no definitions in %s", folder)
	}
	crds := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(paths))
	for _, path := range paths {
		data, err := os.ReadFile(path) //nolint:gosec // The caller names the folder to read.
		if err != nil {
			return nil, err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(data, crd); err != nil {
			return nil, fmt.Errorf("parse %s: %w", path, err)
		}
		crds = append(crds, crd)
	}
	slices.SortFunc(crds, func(a, b *apiextensionsv1.CustomResourceDefinition) int {
		return strings.Compare(a.Spec.Names.Kind, b.Spec.Names.Kind)
	})
	return crds, nil
}

func pageName(crd *apiextensionsv1.CustomResourceDefinition) string {
	return crd.Spec.Names.Singular + ".md"
}
