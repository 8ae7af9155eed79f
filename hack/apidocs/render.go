// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const notice = "<!-- Written by `make api-docs` from config/crd/bases. Edit the types in api/, not this file. -->\n\n"

func renderIndex(crds []*apiextensionsv1.CustomResourceDefinition) string {
	var b strings.Builder
	b.WriteString(notice + "# API reference\n\n| Kind | Group | Versions | Scope | Short names |\n|---|---|---|---|---|\n")
	for _, crd := range crds {
		versions := make([]string, 0, len(crd.Spec.Versions))
		for _, version := range crd.Spec.Versions {
			versions = append(versions, version.Name)
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s | %s |\n", crd.Spec.Names.Kind, pageName(crd), crd.Spec.Group,
			strings.Join(versions, ", "), crd.Spec.Scope, strings.Join(crd.Spec.Names.ShortNames, ", "))
	}
	return b.String()
}

func renderPage(crd *apiextensionsv1.CustomResourceDefinition) string {
	var b strings.Builder
	b.WriteString(notice + "# " + crd.Spec.Names.Kind + "\n")
	for _, version := range crd.Spec.Versions {
		renderVersion(&b, crd.Spec.Group, version)
	}
	return b.String()
}

func renderVersion(b *strings.Builder, group string, version apiextensionsv1.CustomResourceDefinitionVersion) {
	fmt.Fprintf(b, "\n`apiVersion: %s/%s`\n", group, version.Name)
	if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return
	}
	root := version.Schema.OpenAPIV3Schema
	if root.Description != "" {
		fmt.Fprintf(b, "\n%s\n", root.Description)
	}
	for _, name := range []string{"spec", "status"} {
		if property, ok := root.Properties[name]; ok {
			renderObject(b, name, &property)
		}
	}
	renderColumns(b, version.AdditionalPrinterColumns)
}

// renderObject writes one section for the object and then one for each object below it.
func renderObject(b *strings.Builder, path string, schema *apiextensionsv1.JSONSchemaProps) {
	fmt.Fprintf(b, "\n## %s\n", path)
	if schema.Description != "" {
		fmt.Fprintf(b, "\n%s\n", schema.Description)
	}
	for _, rule := range limits(schema) {
		fmt.Fprintf(b, "\n- %s\n", rule)
	}
	b.WriteString("\n| Field | Type | | Description |\n|---|---|---|---|\n")
	names := slices.Sorted(maps.Keys(schema.Properties))
	for _, name := range names {
		field := schema.Properties[name]
		presence := "optional"
		if slices.Contains(schema.Required, name) {
			presence = "required"
		}
		text := append([]string{unwrap(field.Description)}, limits(&field)...)
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, cell(typeName(&field)), presence, cell(strings.Join(slices.DeleteFunc(text, isEmpty), "\n")))
	}
	for _, name := range names {
		field := schema.Properties[name]
		below, suffix := &field, ""
		for below.Items != nil && below.Items.Schema != nil {
			below, suffix = below.Items.Schema, suffix+"[]"
		}
		if len(below.Properties) > 0 && !isCondition(below) {
			renderObject(b, path+"."+name+suffix, below)
		}
	}
}

func renderColumns(b *strings.Builder, columns []apiextensionsv1.CustomResourceColumnDefinition) {
	if len(columns) == 0 {
		return
	}
	b.WriteString("\n## Columns of kubectl get\n\n| Column | Path | |\n|---|---|---|\n")
	for _, column := range columns {
		wide := ""
		if column.Priority > 0 {
			wide = "with `-o wide`"
		}
		fmt.Fprintf(b, "| %s | `%s` | %s |\n", column.Name, cell(column.JSONPath), wide)
	}
}

// isCondition knows metav1.Condition by its fields; it is documented by Kubernetes.
func isCondition(schema *apiextensionsv1.JSONSchemaProps) bool {
	for _, name := range []string{"type", "status", "reason", "message", "lastTransitionTime", "observedGeneration"} {
		if _, ok := schema.Properties[name]; !ok {
			return false
		}
	}
	return len(schema.Properties) == 6
}

func typeName(schema *apiextensionsv1.JSONSchemaProps) string {
	switch {
	case schema.XIntOrString:
		return "integer or string"
	case schema.Items != nil && schema.Items.Schema != nil:
		return "list of " + typeName(schema.Items.Schema)
	case isCondition(schema):
		return "Condition"
	case schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
		return "map of " + typeName(schema.AdditionalProperties.Schema)
	case schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields && len(schema.Properties) == 0:
		return "any JSON"
	case schema.Format != "":
		return fmt.Sprintf("%s (%s)", schema.Type, schema.Format)
	default:
		return schema.Type
	}
}

// limits are the constraints that the server enforces, one sentence each, in a fixed order.
func limits(schema *apiextensionsv1.JSONSchemaProps) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if schema.Default != nil {
		add("Default: `%s`.", schema.Default.Raw)
	}
	if len(schema.Enum) > 0 {
		values := make([]string, 0, len(schema.Enum))
		for _, value := range schema.Enum {
			values = append(values, fmt.Sprintf("`%s`", value.Raw))
		}
		add("One of %s.", strings.Join(values, ", "))
	}
	addRange(add, "Characters", schema.MinLength, schema.MaxLength)
	addRange(add, "Items", schema.MinItems, schema.MaxItems)
	addRange(add, "Keys", schema.MinProperties, schema.MaxProperties)
	addRange(add, "Value", schema.Minimum, schema.Maximum)
	if schema.Pattern != "" {
		add("Pattern: `%s`.", schema.Pattern)
	}
	for _, rule := range schema.XValidations {
		message := rule.Message
		if message == "" {
			message = "`" + rule.Rule + "`"
		}
		add("Rule: %s.", strings.TrimSuffix(message, "."))
	}
	return out
}

func addRange[T int64 | float64](add func(string, ...any), what string, least, most *T) {
	switch {
	case least != nil && most != nil && *least == *most:
		add("%s: exactly %s.", what, number(*least))
	case least != nil && most != nil:
		add("%s: %s to %s.", what, number(*least), number(*most))
	case least != nil:
		add("%s: at least %s.", what, number(*least))
	case most != nil:
		add("%s: at most %s.", what, number(*most))
	}
}

// number is written out, never with an exponent.
func number[T int64 | float64](n T) string { return strconv.FormatFloat(float64(n), 'f', -1, 64) }

// unwrap undoes the line breaks of a Go comment, list items and paragraphs excepted.
func unwrap(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
		case line == "" || strings.HasPrefix(line, "- ") || strings.HasSuffix(b.String(), "\n"):
			b.WriteString("\n")
		default:
			b.WriteString(" ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// cell makes text fit into one cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", "<br>").Replace(strings.TrimSpace(text))
}

func isEmpty(s string) bool { return s == "" }
