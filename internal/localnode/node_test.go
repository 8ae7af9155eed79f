// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func newNode(t *testing.T) *Node {
	t.Helper()
	dir := t.TempDir()
	return &Node{dir: dir, logs: logs{dir: filepath.Join(dir, "logs")}}
}

// Nothing must be reachable from elsewhere.
func TestTheNodeIsOnLoopback(t *testing.T) {
	g := NewWithT(t)
	text := strings.Join(newNode(t).flags("/k", 1, []string{"a.yaml", "b.yaml"}), " ")
	g.Expect(text).To(ContainSubstring("--server-address 127.0.0.1:1 --node-ip 127.0.0.1 --node-port 1 "))
	g.Expect(text).NotTo(ContainSubstring("0.0.0.0"))
	g.Expect(text).To(HaveSuffix("--config a.yaml --config b.yaml"))
}

func TestTheNodeHasRoom(t *testing.T) {
	g := NewWithT(t)
	o := object()
	g.Expect(o.Name).To(Equal(Name))
	g.Expect(o.Annotations).To(HaveKeyWithValue("kwok.x-k8s.io/node", "fake"))
	g.Expect(o.Status.Allocatable.Pods().Value()).To(BeNumerically(">", 50))
}

func TestOurStagesTakeThePlaceOfKwoks(t *testing.T) {
	g := NewWithT(t)
	n, assets := newNode(t), t.TempDir()
	_, err := n.configs(assets)
	g.Expect(err).To(MatchError(ContainSubstring("make node-bin")))
	g.Expect(os.Mkdir(filepath.Join(assets, "stages"), 0o700)).To(Succeed())
	for _, name := range []string{"pod-pod-ready.yaml", completion, "node-a.yaml"} {
		g.Expect(os.WriteFile(filepath.Join(assets, "stages", name), nil, 0o600)).To(Succeed())
	}
	files, err := n.configs(assets)
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	g.Expect(names).To(Equal([]string{"node-a.yaml", "pod-pod-ready.yaml", "pod-outcome.yaml", "logs.yaml"}))
}

func TestLogsAreThoseOfContainers(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t)
	g.Expect(n.logs.write(map[string][]string{"a": {"one", "two"}})).To(Succeed())
	g.Expect(n.Log("a", "three")).To(Succeed())
	g.Expect(n.Log("b", "none")).To(MatchError(os.ErrNotExist))
	text, err := os.ReadFile(n.logs.file("a"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(MatchRegexp(`^\S+Z stdout F one\n\S+Z stdout F two\n\S+Z stdout F three\n$`))
	config, err := os.ReadFile(n.logs.config())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(config)).To(ContainSubstring("containers:\n    - a\n    logsFile: " + n.logs.file("a")))
	g.Expect(n.logs.file(others)).To(BeAnExistingFile())
}

func TestStartNamesWhatIsMissing(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t)
	_, err := n.kwok(Options{Assets: t.TempDir()}, "/k")
	g.Expect(err).To(MatchError(ContainSubstring("make node-bin")))
	t.Setenv("KUBEBUILDER_ASSETS", "")
	_, err = n.scheduler(Options{}, "/k")
	g.Expect(err).To(MatchError(ContainSubstring("make envtest-bin")))
}
