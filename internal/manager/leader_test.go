// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestLeaseNamespace(t *testing.T) {
	g := NewWithT(t)
	pod := filepath.Join(t.TempDir(), "namespace")
	_, err := leaseNamespace("", pod)
	g.Expect(err).To(MatchError(And(ContainSubstring("--leader-elect-namespace"), ContainSubstring("--leader-elect=false"))))

	g.Expect(os.WriteFile(pod, []byte("of-the-pod\n"), 0o600)).To(Succeed())
	g.Expect(leaseNamespace("", pod)).To(Equal("of-the-pod"))
	g.Expect(leaseNamespace("given", pod)).To(Equal("given"))
}
