// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// program is a shell script in the place of kubectl.
func program(t *testing.T, dir, script string) kubectl {
	t.Helper()
	path := filepath.Join(dir, "kubectl")
	content := []byte("#!/bin/sh\n" + script + "\n")
	NewWithT(t).Expect(os.WriteFile(path, content, 0o700)).To(Succeed()) //nolint:gosec // a program has to be executable
	return kubectl{binary: path, cache: "the-cache"}
}

func TestKubectlKeepsToItsOwnFiles(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("KUBECONFIG", "the-users")
	k := program(t, t.TempDir(), `echo "$KUBECONFIG $KUBERC $@"`)
	out, err := k.run(t.Context(), "ours", "get", "pods")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(Equal("ours off --cache-dir=the-cache get pods\n"))
}

func TestKubectlTellsWhatWentWrong(t *testing.T) {
	k := program(t, t.TempDir(), `echo "not found" >&2; exit 3`)
	_, err := k.run(t.Context(), "ours", "get", "pods")
	NewWithT(t).Expect(err).To(MatchError("kubectl get: exit status 3: not found"))
}

func TestKubectlIsShownFromHere(t *testing.T) {
	g := NewWithT(t)
	here := t.TempDir()
	t.Chdir(here)
	g.Expect(kubectl{binary: filepath.Join(here, "bin", "kubectl")}.shown()).To(Equal(filepath.Join("bin", "kubectl")))
	g.Expect(kubectl{binary: filepath.Join(t.TempDir(), "kubectl")}.shown()).To(Equal("kubectl"))
}
