// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"errors"
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/ccluster-go/ccluster-go/config/crd"
)

// kindRules are the compiled rules of one kind.
type kindRules struct {
	gvk        schema.GroupVersionKind
	structural *structuralschema.Structural
	whole      validation.SchemaValidator
	status     validation.SchemaValidator
	cel        *cel.Validator
}

// compiled holds the rules of every kind. They are compiled once, when first needed: that takes
// a noticeable part of a second.
var compiled = sync.OnceValues(func() (map[schema.GroupVersionKind]*kindRules, error) {
	crds, err := crd.CustomResourceDefinitions()
	if err != nil {
		return nil, err
	}
	all := map[schema.GroupVersionKind]*kindRules{}
	for _, definition := range crds {
		for i := range definition.Spec.Versions {
			rules, err := compile(definition, &definition.Spec.Versions[i])
			if err != nil {
				return nil, fmt.Errorf("compile rules of %s: %w", definition.Name, err)
			}
			all[rules.gvk] = rules
		}
	}
	return all, nil
})

func rulesFor(gvk schema.GroupVersionKind) (*kindRules, error) {
	all, err := compiled()
	if err != nil {
		return nil, err
	}
	rules, ok := all[gvk]
	if !ok {
		return nil, fmt.Errorf("find rules of %s: %w", gvk, ErrUnknownKind)
	}
	return rules, nil
}

// compile does what the API server does when a definition is installed.
func compile(definition *apiextensionsv1.CustomResourceDefinition, version *apiextensionsv1.CustomResourceDefinitionVersion) (*kindRules, error) {
	if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return nil, errors.New("it has no schema")
	}
	props := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, props, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil, err
	}
	structural = structural.DeepCopy() // it shares defaults with the definition
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	whole, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, err
	}
	status := props.Properties["status"]
	statusOnly, _, err := validation.NewSchemaValidator(&status)
	if err != nil {
		return nil, err
	}
	return &kindRules{
		gvk: schema.GroupVersionKind{
			Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind,
		},
		structural: structural,
		whole:      whole,
		status:     statusOnly,
		cel:        cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}
