// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// imports maps every package that the manager is linked from to what it imports.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "../../cmd/manager")
	out, err := list.Output()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		found[fields[0]] = fields[1:]
	}
	return found
}

// A plugin that is linked could be asked for by a kubeconfig. The exec one belongs to the client
// library's configuration and cannot be left out; nothing of ours uses it.
func TestNoAuthPluginIsLinked(t *testing.T) {
	g := NewWithT(t)
	const plugins, execPlugin = "k8s.io/client-go/plugin/pkg/client/auth", "k8s.io/client-go/plugin/pkg/client/auth/exec"
	linked := imports(t)
	g.Expect(linked).To(HaveKey("github.com/ccluster-go/ccluster-go/internal/remote"))
	var users []string
	for path, imported := range linked {
		if path != execPlugin {
			g.Expect(path).NotTo(HavePrefix(plugins))
		}
		if slices.Contains(imported, execPlugin) {
			users = append(users, path)
		}
	}
	g.Expect(users).To(ConsistOf("k8s.io/client-go/rest", "k8s.io/client-go/tools/clientcmd"))
}

// Nothing that handles a tenant's kubeconfig knows the client library's loader, which opens files,
// nor can start a program.
func TestPlanesAreReachedWithoutTheLoaderOfKubeconfigs(t *testing.T) {
	g := NewWithT(t)
	linked := imports(t)
	const ours = "github.com/ccluster-go/ccluster-go/"
	for _, path := range []string{"internal/kubeconfig", "internal/remote", "internal/provision", "controllers/registration"} {
		imported, ok := linked[ours+path]
		g.Expect(ok).To(BeTrue(), path)
		g.Expect(imported).NotTo(ContainElement(HavePrefix("k8s.io/client-go/tools/clientcmd")), path)
		g.Expect(imported).NotTo(ContainElement("os/exec"), path)
	}
}
