// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// Who runs in a Pod without a token must not end up at the server of some kubeconfig.
func TestAPodWithoutATokenDoesNotFallBack(t *testing.T) {
	g := NewWithT(t)
	outside(t)
	t.Setenv("KUBECONFIG", file(t, "config", kubeconfig("https://other", "{token: t}"), 0o600))
	t.Setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "1")
	_, err := k8s.LoadConfig("")
	g.Expect(err).To(MatchError(HavePrefix("k8s: load in-cluster configuration: ")))
	g.Expect(err).To(MatchError(os.ErrNotExist))

	config, err := k8s.LoadConfig("two")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.REST.Host).To(Equal("https://other"))
	g.Expect(config.Namespace).To(Equal("team"))
}
