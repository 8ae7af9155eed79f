// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func executable(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	NewWithT(t).Expect(os.WriteFile(path, nil, 0o700)).To(Succeed()) //nolint:gosec // has to be executable
	return path
}

func TestBinaryIsFoundInOrder(t *testing.T) {
	g := NewWithT(t)
	fromVariable, fromOption, single := t.TempDir(), t.TempDir(), t.TempDir()
	inVariable, inOption := executable(t, fromVariable, etcdBinary), executable(t, fromOption, etcdBinary)
	own := executable(t, single, "my-etcd")
	t.Setenv("TEST_ASSET_ETCD", "")
	t.Setenv(assetsVariable, fromVariable)

	g.Expect(binary("", etcdBinary)).To(Equal(inVariable))
	g.Expect(binary(fromOption, etcdBinary)).To(Equal(inOption))
	t.Setenv("TEST_ASSET_ETCD", own)
	g.Expect(binary(fromOption, etcdBinary)).To(Equal(own))
}

func TestSchedulerIsFoundAsKubectlIs(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("TEST_ASSET_KUBE_SCHEDULER", "")
	dir := t.TempDir()
	_, err := Scheduler(dir)
	g.Expect(err).To(MatchError(ErrNoAssets))
	want := executable(t, dir, schedulerBinary)
	g.Expect(Scheduler(dir)).To(Equal(want))
}

func TestBinaryPathIsAbsolute(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("TEST_ASSET_KUBECTL", "")
	dir := t.TempDir()
	want := executable(t, dir, kubectlBinary)
	t.Chdir(filepath.Dir(dir))
	g.Expect(Kubectl(filepath.Base(dir))).To(Equal(want))
}

func TestMissingBinaryNamesTheRemedy(t *testing.T) {
	t.Setenv(assetsVariable, "")
	t.Setenv("TEST_ASSET_KUBE_APISERVER", "")

	t.Run("no folder", func(t *testing.T) {
		g := NewWithT(t)
		_, err := binary("", apiServerBinary)
		g.Expect(err).To(MatchError(ErrNoAssets))
		g.Expect(err).To(MatchError(`find kube-apiserver: run "make envtest-bin" and set KUBEBUILDER_ASSETS to the folder it names`))
	})
	t.Run("not in the folder", func(t *testing.T) {
		g := NewWithT(t)
		dir := t.TempDir()
		_, err := binary(dir, apiServerBinary)
		g.Expect(err).To(MatchError(ErrNoAssets))
		g.Expect(err).To(MatchError(os.ErrNotExist))
		g.Expect(err).To(MatchError(ContainSubstring(filepath.Join(dir, apiServerBinary))))
	})
	t.Run("not executable", func(t *testing.T) {
		g := NewWithT(t)
		dir := t.TempDir()
		g.Expect(os.WriteFile(filepath.Join(dir, apiServerBinary), nil, 0o600)).To(Succeed())
		_, err := binary(dir, apiServerBinary)
		g.Expect(err).To(MatchError(ErrNoAssets))
		g.Expect(err).To(MatchError(os.ErrPermission))
	})
	t.Run("whole plane", func(t *testing.T) {
		g := NewWithT(t)
		dir, tmp := t.TempDir(), t.TempDir()
		executable(t, dir, etcdBinary)
		t.Setenv("TMPDIR", tmp)
		_, err := Start(t.Context(), Options{Assets: dir, Name: "infra"})
		g.Expect(err).To(MatchError(ErrNoAssets))
		g.Expect(err).To(MatchError(HavePrefix("start plane infra: find kube-apiserver: ")))
		g.Expect(os.ReadDir(tmp)).To(BeEmpty(), "nothing is made before the binaries are there")
	})
}
