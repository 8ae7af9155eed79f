// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// What looks like a mark between documents is one only where YAML has it so.
func TestMarksOfDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"a: |\n  x\n  ---\n  y\n":            `{"a":"x\n---\ny\n"}`,
		"--- # the first\na: 1\n":            `{"a":1}`,
		"a: 1\n...\n":                        `{"a":1}`,
		"---\n---\n# nothing\n---\na: 1":     `{"a":1}`,
		"a: 1\n---\n":                        `{"a":1}`,
		"a: \"--- x\"":                       `{"a":"--- x"}`,
		"{\n  \"a\": \"one\\n---\\ntwo\"\n}": `{"a":"one\n---\ntwo"}`,
	} {
		got, err := k8s.ReadYAML(text)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), "%q", text)
		NewWithT(t).Expect(got.String()).To(Equal(want), "%q", text)
	}
	for _, text := range []string{"a: 1\n...\nb: 2\n", "a: 1\n--- # the second\nb: 2\n", "a: 1\n---\n{}\n", "a: 1\n--- text\n", "a: .inf", "a: .nan"} {
		_, err := k8s.ReadYAML(text)
		NewWithT(t).Expect(err).To(MatchError(HavePrefix("k8s: read YAML: ")), "%q", text)
	}
}

// A key that stands twice is an error at any depth.
func TestKeysThatStandTwice(t *testing.T) {
	for _, text := range []string{
		"a:\n  b: 1\n  b: 2\n", "a:\n- b: 1\n  c: 2\n  b: 3\n", `{"a": [{"b": 1, "b": 1}]}`, "a: 1\n\"a\": 2\n",
	} {
		_, err := k8s.ReadYAML(text)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("already set")), "%q", text)
	}
}
