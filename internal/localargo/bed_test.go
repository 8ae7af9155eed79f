// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localargo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// Nothing must be reachable from elsewhere.
func TestEverythingIsOnLoopback(t *testing.T) {
	g := NewWithT(t)
	for name, flags := range map[string][]string{
		"redis": redisFlags(1, "/d"), "repository server": repoServerFlags(1, 2, 3), "controller": controllerFlags(1, 2, 3),
	} {
		text := strings.Join(flags, " ")
		g.Expect(text).NotTo(ContainSubstring("0.0.0.0"), name)
		g.Expect(text).To(ContainSubstring("127.0.0.1"), name)
	}
}

func TestHelloIsAChart(t *testing.T) {
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "hello")
	g.Expect(writeHello(dir)).To(Succeed())
	chart, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(chart)).To(And(ContainSubstring("name: "+HelloChart+"\n"), ContainSubstring("version: "+HelloVersion+"\n")))
	g.Expect(filepath.Glob(filepath.Join(dir, "templates", "*.yaml"))).To(HaveLen(1))
}

func TestAssetsMayBeElsewhere(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("CCLUSTER_ARGOCD_ASSETS", "")
	g.Expect(CRDs("..")).To(Equal(filepath.Join("..", "bin", "argocd", "crds")))
	t.Setenv("CCLUSTER_ARGOCD_ASSETS", "/elsewhere")
	g.Expect(CRDs("..")).To(Equal("/elsewhere/crds"))
}

func TestStartNamesWhatIsMissing(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("PATH", t.TempDir())
	_, err := Start(t.Context(), Options{Assets: t.TempDir()})
	g.Expect(err).To(MatchError(ContainSubstring("redis-server")))
}
