// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"encoding/json"
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

func parse(t *testing.T, text string) k8s.Value {
	t.Helper()
	var v k8s.Value
	NewWithT(t).Expect(json.Unmarshal([]byte(text), &v)).To(Succeed())
	return v
}

// The document and the pointers of RFC 6901, section 5.
func TestPointersOfTheStandard(t *testing.T) {
	v := parse(t, `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`)
	for pointer, want := range map[string]string{
		"": v.String(), "/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/": "0", "/a~1b": "1", "/c%d": "2", "/e^f": "3",
		"/g|h": "4", `/i\j`: "5", `/k"l`: "6", "/\u0020": "7", "/m~0n": "8",
	} {
		got, err := v.At(pointer)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), pointer)
		NewWithT(t).Expect(got.String()).To(Equal(want), pointer)
		NewWithT(t).Expect(v.Has(pointer)).To(BeTrue(), pointer)
	}
}

func TestPointersToNothing(t *testing.T) {
	v := parse(t, `{"list":["a","b"],"text":"x","null":null,"01":1}`)
	for _, pointer := range []string{
		"/none", "/list/2", "/list/01", "/list/-1", "/list/-", "/list/+1", "/list/x", "/list/", "/text/0", "/text/length",
		"/null/x", "/list/99999999999999999999", "/Text",
	} {
		_, err := v.At(pointer)
		NewWithT(t).Expect(err).To(MatchError(k8s.ErrAbsent), pointer)
		NewWithT(t).Expect(v.Has(pointer)).To(BeFalse(), pointer)
	}
	_, err := v.At("list")
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring(`pointer "list"`)))
	NewWithT(t).Expect(errors.Is(err, k8s.ErrAbsent)).To(BeFalse())
}

// accessors are all of them, as functions that give any value.
func accessors(v k8s.Value) map[string]func(string) (any, error) {
	return map[string]func(string) (any, error){
		"string":  func(p string) (any, error) { return v.StringAt(p) },
		"boolean": func(p string) (any, error) { return v.BoolAt(p) },
		"integer": func(p string) (any, error) { return v.IntAt(p) },
		"number":  func(p string) (any, error) { return v.FloatAt(p) },
		"array":   func(p string) (any, error) { return v.ListAt(p) },
		"object":  func(p string) (any, error) { return v.MapAt(p) },
	}
}

func TestZeroIsNeitherAbsentNorNull(t *testing.T) {
	v := parse(t, `{"string":"","boolean":false,"integer":0,"number":0,"array":[],"object":{},"null":null}`)
	zeros := map[string]any{
		"string": "", "boolean": false, "integer": int64(0), "number": float64(0), "array": []k8s.Value{}, "object": map[string]k8s.Value{},
	}
	for wanted, read := range accessors(v) {
		g := NewWithT(t)
		got, err := read("/" + wanted)
		g.Expect(err).NotTo(HaveOccurred(), wanted)
		g.Expect(got).To(Equal(zeros[wanted]), wanted)
		_, err = read("/absent")
		g.Expect(err).To(MatchError(k8s.ErrAbsent), wanted)
		_, err = read("/null")
		g.Expect(err).To(Equal(&k8s.TypeError{Pointer: "/null", Wanted: wanted, Found: "null"}))
		for other := range zeros {
			if other == wanted || (other == "integer" && wanted == "number") || (other == "number" && wanted == "integer") {
				continue
			}
			found := map[string]string{"integer": "number"}[other]
			if found == "" {
				found = other
			}
			_, err = read("/" + other)
			g.Expect(err).To(Equal(&k8s.TypeError{Pointer: "/" + other, Wanted: wanted, Found: found}))
		}
	}
	_, err := v.StringAt("/integer")
	NewWithT(t).Expect(err).To(MatchError(`k8s: "/integer" is of type number, not string`))
	null, err := v.At("/null")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(null.IsNull()).To(BeTrue())
	NewWithT(t).Expect(k8s.Value{}.IsNull()).To(BeTrue())
}

func TestNumbers(t *testing.T) {
	v := parse(t, `{"whole":3.0,"half":3.5,"huge":1e19,"edge":9223372036854775808,"least":-9223372036854775808,"exact":9007199254740993}`)
	for name, want := range map[string]int64{"whole": 3, "least": -9223372036854775808, "exact": 9007199254740993} {
		got, err := v.IntAt("/" + name)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), name)
		NewWithT(t).Expect(got).To(Equal(want), name)
	}
	for _, name := range []string{"half", "huge", "edge"} {
		_, err := v.IntAt("/" + name)
		NewWithT(t).Expect(err).To(Equal(&k8s.TypeError{Pointer: "/" + name, Wanted: "integer", Found: "number"}))
	}
	for name, want := range map[string]float64{"whole": 3, "half": 3.5, "huge": 1e19, "least": -9223372036854775808} {
		got, err := v.FloatAt("/" + name)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), name)
		NewWithT(t).Expect(got).To(BeNumerically("==", want), name)
	}
}

func TestItemsAndFields(t *testing.T) {
	g := NewWithT(t)
	v := parse(t, `{"list":[1,"a",null],"map":{"a":true,"b":null}}`)
	items, err := v.ListAt("/list")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(items).To(HaveLen(3))
	g.Expect(items[0].IntAt("")).To(Equal(int64(1)))
	g.Expect(items[1].StringAt("")).To(Equal("a"))
	g.Expect(items[2].IsNull()).To(BeTrue())
	fields, err := v.MapAt("/map")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(fields).To(HaveLen(2))
	g.Expect(fields["a"].BoolAt("")).To(BeTrue())
}

func TestAValueCannotBeChanged(t *testing.T) {
	g := NewWithT(t)
	v := parse(t, `{"map":{"a":[1]}}`)
	copied, ok := v.Interface().(map[string]any)
	g.Expect(ok).To(BeTrue())
	copied["map"].(map[string]any)["a"].([]any)[0] = int64(2)
	fields, err := v.MapAt("/map")
	g.Expect(err).NotTo(HaveOccurred())
	delete(fields, "a")
	g.Expect(v.String()).To(Equal(`{"map":{"a":[1]}}`))
	text, err := json.Marshal(map[string]any{"v": v})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(MatchJSON(`{"v":{"map":{"a":[1]}}}`))
	g.Expect(json.Unmarshal([]byte("{"), &v)).NotTo(Succeed())
}
