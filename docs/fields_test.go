// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/ccluster-go/ccluster-go/config/crd"
)

// pageOf is where a kind is described.
func pageOf(definition *apiextensionsv1.CustomResourceDefinition) string {
	return definition.Spec.Names.Singular + ".md"
}

// fields are the fields below the spec or status of a schema, by path. Items of a list have
// the path of the list with `[]` behind it.
func fields(schema *apiextensionsv1.JSONSchemaProps, path string) map[string]*apiextensionsv1.JSONSchemaProps {
	found := map[string]*apiextensionsv1.JSONSchemaProps{}
	for name := range schema.Properties {
		field := schema.Properties[name]
		at := path + "." + name
		found[at] = &field
		below := &field
		for below.Items != nil && below.Items.Schema != nil {
			below, at = below.Items.Schema, at+"[]"
		}
		if name != "conditions" {
			maps.Copy(found, fields(below, at))
		}
	}
	return found
}

// limitsOf are the texts that a field's row must show in its column Limits.
func limitsOf(field *apiextensionsv1.JSONSchemaProps) []string {
	var wanted []string
	number := func(least int64, limits ...*int64) {
		for _, limit := range limits {
			if limit != nil && *limit > least {
				wanted = append(wanted, strconv.FormatInt(*limit, 10))
			}
		}
	}
	// That a text or list may be short is no limit worth a word.
	const short = 9
	number(short, field.MinLength, field.MinItems)
	number(0, field.MaxLength, field.MaxItems, field.MaxProperties)
	for _, limit := range []*float64{field.Minimum, field.Maximum} {
		if limit != nil && *limit > 0 {
			wanted = append(wanted, strconv.FormatFloat(*limit, 'f', -1, 64))
		}
	}
	for _, value := range field.Enum {
		wanted = append(wanted, strings.Trim(string(value.Raw), `"`))
	}
	return wanted
}

func TestEveryFieldIsDescribed(t *testing.T) {
	definitions, err := crd.CustomResourceDefinitions()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, definition := range definitions {
		t.Run(definition.Spec.Names.Kind, func(t *testing.T) {
			g := NewWithT(t)
			p := read(t, pageOf(definition))
			root := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
			for _, part := range []string{"spec", "status"} {
				schema := root.Properties[part]
				wanted := fields(&schema, part)
				g.Expect(wanted).NotTo(BeEmpty())
				rows := map[string]row{}
				heading := "## " + strings.ToUpper(part[:1]) + part[1:]
				for _, r := range p.section(t, heading).rows(t, "Field") {
					rows[code(t, r.cells["Field"])] = r
				}
				g.Expect(slices.Sorted(maps.Keys(rows))).To(Equal(slices.Sorted(maps.Keys(wanted))), "fields in %s", p.path)
				if part == "spec" {
					for path, field := range wanted {
						checkRow(g, fmt.Sprintf("%s in %s", path, p.path), rows[path], field)
					}
				}
			}
		})
	}
}

func checkRow(g *WithT, where string, r row, field *apiextensionsv1.JSONSchemaProps) {
	if field.Default != nil {
		g.Expect(r.cells["Default"]).To(Equal("`"+strings.Trim(string(field.Default.Raw), `"`)+"`"), "default of %s", where)
	}
	for _, limit := range limitsOf(field) {
		g.Expect(r.cells["Limits"]).To(ContainSubstring(limit), "limits of %s", where)
	}
}
