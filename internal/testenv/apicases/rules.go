// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Rule names one constraint of a kind's CRD schema.
type Rule struct {
	// Kind that has the rule.
	Kind string
	// Path of the field in the schema: `spec.components[].name`, with [] for the items of a
	// list and {} for the values of a map. Empty for the object itself.
	Path string
	// Keyword of the schema, or CEL.
	Keyword string
	// Message of a CEL rule: what tells apart several rules of one field.
	Message string
}

// CEL is the Keyword of an x-kubernetes-validations rule.
const CEL = "CEL"

// String is the rule in a failure message.
func (r Rule) String() string {
	s := r.Kind + " " + r.Path + " " + r.Keyword
	if r.Message != "" {
		s += " " + r.Message
	}
	return s
}

// Walk calls visit for each rule in the schema of a definition's first version. Calling remove
// takes the rule out of that schema.
//
// What can reject nothing is no rule: a minimum size of 0. The types of fields are left out too,
// since clients in Go cannot get them wrong.
func Walk(definition *apiextensionsv1.CustomResourceDefinition, visit func(r Rule, remove func())) {
	w := walker{kind: definition.Spec.Names.Kind, visit: visit}
	w.node("", definition.Spec.Versions[0].Schema.OpenAPIV3Schema)
}

type walker struct {
	kind  string
	visit func(Rule, func())
}

func (w walker) node(path string, s *apiextensionsv1.JSONSchemaProps) {
	has := func(present bool, keyword string, remove func()) {
		if present {
			w.visit(Rule{Kind: w.kind, Path: path, Keyword: keyword}, remove)
		}
	}
	positive := func(n *int64) bool { return n != nil && *n > 0 }

	has(positive(s.MinLength), "minLength", func() { s.MinLength = nil })
	has(s.MaxLength != nil, "maxLength", func() { s.MaxLength = nil })
	has(s.Pattern != "", "pattern", func() { s.Pattern = "" })
	has(s.Format == "byte" || s.Format == "date-time", "format", func() { s.Format = "" })
	has(len(s.Enum) > 0, "enum", func() { s.Enum = nil })
	has(s.Minimum != nil, "minimum", func() { s.Minimum = nil })
	has(s.Maximum != nil, "maximum", func() { s.Maximum = nil })
	has(s.MultipleOf != nil, "multipleOf", func() { s.MultipleOf = nil })
	has(positive(s.MinItems), "minItems", func() { s.MinItems = nil })
	has(s.MaxItems != nil, "maxItems", func() { s.MaxItems = nil })
	has(positive(s.MinProperties), "minProperties", func() { s.MinProperties = nil })
	has(s.MaxProperties != nil, "maxProperties", func() { s.MaxProperties = nil })
	has(s.UniqueItems, "uniqueItems", func() { s.UniqueItems = false })
	has(s.Not != nil, "not", func() { s.Not = nil })
	has(len(s.AllOf) > 0, "allOf", func() { s.AllOf = nil })
	has(len(s.AnyOf) > 0, "anyOf", func() { s.AnyOf = nil })
	has(len(s.OneOf) > 0, "oneOf", func() { s.OneOf = nil })
	if t := s.XListType; t != nil {
		has(*t == "set" || *t == "map", "listType", func() { s.XListType, s.XListMapKeys = nil, nil })
	}
	for _, rule := range s.XValidations {
		w.visit(Rule{Kind: w.kind, Path: path, Keyword: CEL, Message: rule.Message}, func() {
			s.XValidations = slices.DeleteFunc(slices.Clone(s.XValidations), func(r apiextensionsv1.ValidationRule) bool {
				return r.Rule == rule.Rule
			})
		})
	}
	for _, name := range s.Required {
		w.visit(Rule{Kind: w.kind, Path: child(path, name), Keyword: "required"}, func() {
			s.Required = slices.DeleteFunc(slices.Clone(s.Required), func(n string) bool { return n == name })
		})
	}
	w.children(path, s)
}

// children visits them in a fixed order.
func (w walker) children(path string, s *apiextensionsv1.JSONSchemaProps) {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		property := s.Properties[name]
		w.node(child(path, name), &property)
		// Properties holds values, so that a removal has to be put back.
		s.Properties[name] = property
	}
	if s.Items != nil && s.Items.Schema != nil {
		w.node(path+"[]", s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		w.node(path+"{}", s.AdditionalProperties.Schema)
	}
}

func child(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
