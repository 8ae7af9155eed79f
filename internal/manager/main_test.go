// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMainAnswersHelpAndVersion(t *testing.T) {
	for arg, want := range map[string]string{"--help": "--controllers", "--version": "manager "} {
		t.Run(arg, func(t *testing.T) {
			g := NewWithT(t)
			var out, errs bytes.Buffer
			g.Expect(Main(t.Context(), []string{arg}, &out, &errs)).To(Equal(0))
			g.Expect(out.String()).To(ContainSubstring(want))
			g.Expect(errs.String()).To(BeEmpty())
		})
	}
}

func TestMainExitsWith2OnWrongUse(t *testing.T) {
	g := NewWithT(t)
	var out, errs bytes.Buffer
	g.Expect(Main(t.Context(), []string{"--controllers=nothing"}, &out, &errs)).To(Equal(exitUsage))
	g.Expect(out.String()).To(BeEmpty())
	g.Expect(errs.String()).To(HavePrefix(`--controllers: there is no controller "nothing"`))
}

func TestMainExitsWith1WithoutAControlPlane(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "absent"))
	t.Setenv("HOME", t.TempDir())
	var out, errs bytes.Buffer
	g.Expect(Main(t.Context(), nil, &out, &errs)).To(Equal(exitFailed))
	g.Expect(out.String()).To(BeEmpty())
	g.Expect(errs.String()).To(ContainSubstring("set KUBECONFIG"))
}
