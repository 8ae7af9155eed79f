// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package crd embeds the generated CustomResourceDefinitions, so that a binary can install
// them and check objects against them without a server.
package crd

import (
	"embed"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

//go:embed bases/*.yaml
var bases embed.FS

// CustomResourceDefinitions returns a fresh copy of every definition of the API group, in the
// order of their names.
func CustomResourceDefinitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := fs.Glob(bases, "bases/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list embedded definitions: %w", err)
	}
	crds := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(files))
	for _, file := range files {
		content, err := bases.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read embedded definition: %w", err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(content, crd); err != nil {
			return nil, fmt.Errorf("parse %s: %w", file, err)
		}
		crds = append(crds, crd)
	}
	return crds, nil
}
