// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"slices"
)

func numberedComponent(i int) any { return component(fmt.Sprintf("c%d", i)) }

func componentSetCases() []Case {
	s := componentSet()
	const components, item = "spec.components", "spec.components[]"

	const longName = "`metadata.name` must have at most 199 characters"
	name := s.cel("", longName)
	const notUnique = "`name` must be unique among the components"
	unique := s.cel(components, notUnique)
	fewest := s.rule(components, "minItems")

	chart := func(n int) string { return "g/" + letters(n-len("g/")) }
	return slices.Concat(
		s.required("spec"),
		s.required(components),
		s.reference(item+".infraPlaneRef"),
		s.required(item+".infraPlaneRef"),
		s.required(item+".name"),
		s.lengths(item+".name", 1, 53, letters),
		s.dnsLabel(item+".name"),
		s.required(item+".chart"),
		s.lengths(item+".chart", 3, 128, chart),
		s.pattern(item+".chart",
			[]string{"a/b", "cluster_base/keda", "0-a/b_1"},
			[]string{"abc", "a/b/c", "/ab", "ab/", "A/b", "a/b.c", "_a/b", "a/b-", "../a"}),
		s.required(item+".namespace"),
		s.lengths(item+".namespace", 1, 63, letters),
		s.dnsLabel(item+".namespace"),
		s.minimum(item+".progressDeadlineSeconds", 0),
		s.maximum(item+".progressDeadlineSeconds", 604800),
		s.maxItems(components, 64, numberedComponent),
		[]Case{
			s.accept(name, "at the limit", set("metadata.name", letters(199))),
			s.reject(name, "over the limit", invalid("metadata", longName), set("metadata.name", letters(200))),
			s.accept(fewest, "one"),
			s.reject(fewest, "none", invalid(components, "should have at least 1 items"), set(components, []any{})),
			s.accept(unique, "different names", set(components, []any{component("a"), component("b")})),
			s.reject(unique, "same names", invalid(components, notUnique),
				set(components, []any{component("a"), component("b"), component("a")})),
			s.accept(Rule{}, "no values", set(item+".values", Object{})),
			s.accept(Rule{}, "free values", set(item+".values", Object{
				"text": "", "list": []any{int64(1), "a", Object{"b": true}}, "deep": Object{"deeper": Object{"number": 1.5}},
			})),
			s.reject(Rule{}, "values that are a list", wrongType(item+".values", "must be of type object"), set(item+".values", []any{})),
			s.change(Rule{}, "other order", []edit{set(components, []any{component("a"), component("b")})},
				[]edit{set(components, []any{component("b"), component("a")})}, nil),
			s.change(unique, "name added twice", []edit{set(components, []any{component("a")})},
				[]edit{set(components, []any{component("a"), component("a")})}, &Cause{
					Type: "FieldValueInvalid", Field: components, Message: notUnique,
				}),
		},
	)
}
