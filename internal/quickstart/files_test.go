// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestWorkshopIsPrivateAndGoes(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("TMPDIR", t.TempDir())
	w, err := newWorkshop()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(mode(t, w.dir)).To(Equal(os.FileMode(0o700)))
	g.Expect(w.write("a.kubeconfig", []byte("x"))).To(Succeed())
	g.Expect(mode(t, w.path("a.kubeconfig"))).To(Equal(os.FileMode(0o600)))
	g.Expect(w.remove()).To(Succeed())
	g.Expect(w.dir).NotTo(BeADirectory())
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return info.Mode().Perm()
}

func TestSamplesAreCopiedWithTheKubeconfig(t *testing.T) {
	g := NewWithT(t)
	const from = "../../config/samples"
	to := filepath.Join(t.TempDir(), "samples")
	g.Expect(copySamples(from, to, []byte("the real one"))).To(Succeed())
	entries, err := os.ReadDir(from)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(len(entries)).To(BeNumerically(">=", 4))
	for _, entry := range entries {
		want, err := os.ReadFile(filepath.Join(from, entry.Name()))
		g.Expect(err).NotTo(HaveOccurred())
		if entry.Name() == sampleKubeconfig {
			want = []byte("the real one")
		}
		got, err := os.ReadFile(filepath.Join(to, entry.Name()))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got).To(Equal(want), entry.Name())
		g.Expect(mode(t, filepath.Join(to, entry.Name()))).To(Equal(os.FileMode(0o600)))
	}
}

func TestSamplesMustHaveTheirPlaceholder(t *testing.T) {
	g := NewWithT(t)
	from := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(from, "namespace.yaml"), nil, 0o600)).To(Succeed())
	g.Expect(copySamples(from, filepath.Join(t.TempDir(), "samples"), nil)).
		To(MatchError(ContainSubstring("there is no edge-1.kubeconfig")))
	g.Expect(copySamples(filepath.Join(from, "absent"), t.TempDir(), nil)).
		To(MatchError(ContainSubstring("run it in the repository's folder")))
}
