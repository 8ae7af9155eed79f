// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestWorkDirIsPrivateAndRemoved(t *testing.T) {
	g := NewWithT(t)
	dir, err := newWorkDir(t.TempDir(), "infra")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(filepath.Base(dir.path)).To(HavePrefix("ccluster-plane-infra-"))
	info, err := os.Stat(dir.path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o700)))

	g.Expect(dir.write("key", []byte("secret"))).To(Succeed())
	info, err = os.Stat(filepath.Join(dir.path, "key"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o600)))

	g.Expect(dir.remove()).To(Succeed())
	g.Expect(dir.path).NotTo(BeADirectory())
}

func TestSweepRemovesOnlyAbandonedWorkFolders(t *testing.T) {
	g := NewWithT(t)
	parent := t.TempDir()
	used, err := newWorkDir(parent, "used")
	g.Expect(err).NotTo(HaveOccurred())
	abandoned, err := newWorkDir(parent, "abandoned")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(abandoned.lock.Close()).To(Succeed()) // what the end of a process does
	unfinished := filepath.Join(parent, workDirPrefix+"unfinished")
	other := filepath.Join(parent, "other")
	for _, path := range []string{unfinished, other} {
		g.Expect(os.Mkdir(path, 0o700)).To(Succeed())
	}
	elsewhere, err := newWorkDir(t.TempDir(), "elsewhere")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(elsewhere.lock.Close()).To(Succeed())
	link := filepath.Join(parent, workDirPrefix+"link")
	g.Expect(os.Symlink(elsewhere.path, link)).To(Succeed())

	g.Expect(sweep(parent)).To(Succeed())

	g.Expect(abandoned.path).NotTo(BeADirectory())
	for _, path := range []string{used.path, unfinished, other, link, elsewhere.path} {
		g.Expect(path).To(BeADirectory())
	}
	g.Expect(used.remove()).To(Succeed())
}
