// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/manager"
)

func TestHintsNameTheFiles(t *testing.T) {
	g := NewWithT(t)
	text := hintText("bin/kubectl", "/tmp/w/control.kubeconfig", "/tmp/w/infra.kubeconfig", "/tmp/w/manager.log")
	g.Expect(text).To(ContainSubstring("\n  export KUBECONFIG=/tmp/w/control.kubeconfig\n"))
	g.Expect(text).To(ContainSubstring("\n  bin/kubectl --kubeconfig /tmp/w/infra.kubeconfig get "))
	g.Expect(text).To(ContainSubstring("/tmp/w/manager.log"))
	for _, placeholder := range []string{"KUBECTL", "CONTROL", "INFRA", "LOG"} {
		g.Expect(text).NotTo(MatchRegexp(`\b` + placeholder + `\b`))
	}
}

func TestShownFlagsAreWhatTheManagerRunsWith(t *testing.T) {
	g, s := NewWithT(t), &scene{}
	shown, err := manager.Parse(append(strings.Fields(s.managerFlags()), "--health-probe-address=0", "--metrics-address=0"))
	g.Expect(err).NotTo(HaveOccurred())
	o := s.managerOptions()
	g.Expect(o.Validate()).To(Succeed())
	shown.Namespaces, shown.InClusterNamespaces = o.Namespaces, o.InClusterNamespaces
	g.Expect(shown).To(Equal(o))
}
