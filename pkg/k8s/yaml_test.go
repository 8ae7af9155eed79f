// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

func TestReadYAML(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": [1, 2.5, "x", null, true]}`: `{"a":[1,2.5,"x",null,true]}`,
		"a:\n- 1\n- b: c\n":                `{"a":[1,{"b":"c"}]}`,
		"---\na: 1\n":                      `{"a":1}`,
		"# only\n---\na: 1\n---\n# this\n": `{"a":1}`,
		"a: |\n  one\n  two\n":             `{"a":"one\ntwo\n"}`,
		"a: &x {b: 1}\nc: *x\n":            `{"a":{"b":1},"c":{"b":1}}`,
		"a: 9007199254740993":              `{"a":9007199254740993}`,
		"\ufeffa: 1":                       `{"a":1}`,
		"a: 1\r\nb: 2\r\n":                 `{"a":1,"b":2}`,
		"":                                 "null",
		"# nothing":                        "null",
		"word":                             `"word"`,
	} {
		got, err := k8s.ReadYAML(text)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), "%q", text)
		NewWithT(t).Expect(got.String()).To(Equal(want), "%q", text)
	}
	for text, want := range map[string]string{
		"a: 1\na: 2":          "already set",
		`{"a": 1, "a": 2}`:    "already set",
		"a: 1\n---\nb: 2\n":   "more than one document",
		"a: [":                "read YAML",
		"a:\n\t- b":           "read YAML",
		"a: *unknown":         "read YAML",
		`{"a": 1} {"b": 2}`:   "read YAML",
		"kind: Pod\n kind: A": "read YAML",
	} {
		_, err := k8s.ReadYAML(text)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)), "%q", text)
	}
}

func TestQueryEscape(t *testing.T) {
	g := NewWithT(t)
	g.Expect(k8s.QueryEscape("app=x,run in (a b)&c=ü")).To(Equal("app%3Dx%2Crun+in+%28a+b%29%26c%3D%C3%BC"))
	g.Expect(k8s.QueryEscape("")).To(BeEmpty())
}
