// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// The order of unescaping matters: ~01 is ~1, and not a slash.
func TestEscapesInPointers(t *testing.T) {
	v := parse(t, `{"~1":1,"/":2,"~":3,"~0":4,"a/b~c":5}`)
	for pointer, want := range map[string]int64{"/~01": 1, "/~1": 2, "/~0": 3, "/~00": 4, "/a~1b~0c": 5} {
		got, err := v.IntAt(pointer)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), pointer)
		NewWithT(t).Expect(got).To(Equal(want), pointer)
	}
}

// RFC 6901, section 3: a tilde is followed by 0 or 1, or the pointer is none.
func TestEscapesThatAreNone(t *testing.T) {
	v := parse(t, `{"~2":1,"~":2,"a~":3,"~x":4,"a":{"~":5}}`)
	for _, pointer := range []string{"/~2", "/~", "/a~", "/~x", "/a/~"} {
		g := NewWithT(t)
		_, err := v.At(pointer)
		g.Expect(err).To(MatchError(ContainSubstring("pointer")), pointer)
		g.Expect(err).NotTo(MatchError(k8s.ErrAbsent), pointer)
	}
}
