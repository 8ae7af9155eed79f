// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const walked = `
spec:
  names: {kind: Thing}
  versions:
  - schema:
      openAPIV3Schema:
        x-kubernetes-validations:
        - {rule: "a", message: first}
        - {rule: "b", message: second}
        required: [spec]
        properties:
          spec:
            minProperties: 1
            maxProperties: 2
            additionalProperties: {pattern: x, minLength: 1, maxLength: 2}
          list:
            x-kubernetes-list-type: set
            minItems: 1
            maxItems: 2
            uniqueItems: true
            items: {minimum: 1, maximum: 2, multipleOf: 1, enum: [1]}
          text: {format: byte}
          combined: {not: {}, allOf: [{}], anyOf: [{}], oneOf: [{}]}
          zero: {minLength: 0, minItems: 0, minProperties: 0, format: int64, x-kubernetes-list-type: atomic}
`

func thing(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(walked), definition); err != nil {
		t.Fatal(err)
	}
	return definition
}

func TestWalkFindsEveryKeyword(t *testing.T) {
	g := NewWithT(t)
	var found []string
	Walk(thing(t), func(r Rule, _ func()) { found = append(found, r.String()) })
	g.Expect(found).To(ConsistOf(
		"Thing  CEL first", "Thing  CEL second", "Thing spec required",
		"Thing spec minProperties", "Thing spec maxProperties",
		"Thing spec{} pattern", "Thing spec{} minLength", "Thing spec{} maxLength",
		"Thing list listType", "Thing list minItems", "Thing list maxItems", "Thing list uniqueItems",
		"Thing list[] minimum", "Thing list[] maximum", "Thing list[] multipleOf", "Thing list[] enum",
		"Thing text format",
		"Thing combined not", "Thing combined allOf", "Thing combined anyOf", "Thing combined oneOf",
	))
}

func TestWalkRemovesOneRule(t *testing.T) {
	g := NewWithT(t)
	var all []Rule
	Walk(thing(t), func(r Rule, _ func()) { all = append(all, r) })
	for _, victim := range all {
		definition := thing(t)
		Walk(definition, func(r Rule, remove func()) {
			if r == victim {
				remove()
			}
		})
		var left []Rule
		Walk(definition, func(r Rule, _ func()) { left = append(left, r) })
		g.Expect(left).To(HaveLen(len(all)-1), victim.String())
		g.Expect(left).NotTo(ContainElement(victim))
	}
}
