// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func TestIsZero(t *testing.T) {
	g := NewWithT(t)
	for _, v := range []any{nil, "", false, int64(0), 0.0, map[string]any{}, []any{}} {
		g.Expect(isZero(v)).To(BeTrue(), "%#v", v)
	}
	for _, v := range []any{"x", true, int64(1), 0.5, map[string]any{"k": nil}, []any{nil}} {
		g.Expect(isZero(v)).To(BeFalse(), "%#v", v)
	}
}

func TestLookup(t *testing.T) {
	content := map[string]any{
		"ports": []any{
			"not a map",
			map[string]any{"port": int64(80), "name": "a"},
			map[string]any{"port": int64(80), "protocol": "UDP", "name": "b"},
		},
		"labels": map[string]any{"k": "v"},
	}
	key := fieldpath.KeyByFields("port", 80, "protocol", "UDP")
	member := value.NewValueInterface("v")
	for name, test := range map[string]struct {
		path []any
		want any
		ok   bool
	}{
		"root":            {nil, content, true},
		"field":           {[]any{"labels", "k"}, "v", true},
		"missing field":   {[]any{"labels", "x"}, nil, false},
		"field of text":   {[]any{"labels", "k", "x"}, nil, false},
		"item":            {[]any{"ports", key, "name"}, "b", true},
		"missing item":    {[]any{"ports", fieldpath.KeyByFields("port", 81)}, nil, false},
		"item of a map":   {[]any{"labels", key}, nil, false},
		"member of set":   {[]any{"labels", member}, nil, false},
		"index in a list": {[]any{"ports", 0}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got, ok := lookup(any(content), fieldpath.MakePathOrDie(test.path...))
			g.Expect(ok).To(Equal(test.ok))
			if test.want == nil {
				g.Expect(got).To(BeNil())
			} else {
				g.Expect(got).To(Equal(test.want))
			}
		})
	}
}
