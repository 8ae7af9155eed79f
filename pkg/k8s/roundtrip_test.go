// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

func TestAValueIsTheSameAfterJSON(t *testing.T) {
	for _, text := range []string{
		"null", "true", `""`, `"ü\u003c"`, "0", "-9223372036854775808", "9223372036854775807", "2.5", "[]", "{}",
		`[1,[null,{"a":{}}]]`, `{"":{"":[]},"a":9007199254740993}`,
	} {
		g := NewWithT(t)
		v := parse(t, text)
		g.Expect(v.String()).To(Equal(text))
		written, err := json.Marshal(v)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(parse(t, string(written))).To(Equal(v), text)
		read, err := k8s.ReadYAML(text)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(read).To(Equal(v), text)
	}
}

func TestWhatStandsBehindAValueIsRefused(t *testing.T) {
	g := NewWithT(t)
	v := parse(t, "1")
	for _, text := range []string{"", "1 2", "{} x", "{'a': 1}", "nul"} {
		g.Expect(v.UnmarshalJSON([]byte(text))).NotTo(Succeed(), text)
	}
	g.Expect(v.String()).To(Equal("1"))
}

// A copy has the types that encoding/json would give, but for whole numbers.
func TestTypesOfACopy(t *testing.T) {
	g := NewWithT(t)
	g.Expect(parse(t, `{"a":[1,2.5,"x",true,null]}`).Interface()).To(Equal(map[string]any{
		"a": []any{int64(1), 2.5, "x", true, nil},
	}))
	g.Expect(k8s.Value{}.Interface()).To(BeNil())
}

func TestWholeNumbersHoweverTheyAreWritten(t *testing.T) {
	v := parse(t, `{"a":1e3,"b":-0.0,"c":9223372036854775807,"d":-9223372036854775809,"e":18446744073709551615,"f":1e-3}`)
	for name, want := range map[string]int64{"/a": 1000, "/b": 0, "/c": 9223372036854775807} {
		got, err := v.IntAt(name)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), name)
		NewWithT(t).Expect(got).To(Equal(want), name)
	}
	for _, name := range []string{"/d", "/e", "/f"} {
		_, err := v.IntAt(name)
		NewWithT(t).Expect(err).To(Equal(&k8s.TypeError{Pointer: name, Wanted: "integer", Found: "number"}))
	}
}
