// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestFlagsOverrideAndArgs(t *testing.T) {
	g := NewWithT(t)
	base := flags{"b": {"1"}, "a": {"x", "y"}, "c": {"gone"}}
	merged := base.override(map[string][]string{"b": {"2"}, "c": nil, "d": {"new"}})
	g.Expect(merged.args()).To(Equal([]string{"--a=x", "--a=y", "--b=2", "--d=new"}))
	g.Expect(base.args()).To(Equal([]string{"--a=x", "--a=y", "--b=1", "--c=gone"}))
}
