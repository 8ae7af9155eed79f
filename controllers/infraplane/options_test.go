// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestOptions(t *testing.T) {
	g := NewWithT(t)
	o, err := Options{SourceRepos: []string{"https://charts.example.com"}}.withDefaults()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o).To(Equal(Options{
		ArgoCDNamespace: "argocd", SourceRepos: []string{"https://charts.example.com"},
		CheckPeriod: time.Minute, DrainTimeout: 30 * time.Minute, MaxConcurrentReconciles: 16,
	}))
	for name, wrong := range map[string]Options{
		"period": {CheckPeriod: -1}, "drain": {DrainTimeout: -1}, "workers": {MaxConcurrentReconciles: -1},
		"every repository": {SourceRepos: []string{"*"}}, "no repository": {SourceRepos: []string{""}},
		"all but one": {SourceRepos: []string{"!https://a"}}, "some": {SourceRepos: []string{"https://a/{b,c}"}},
	} {
		_, err := wrong.withDefaults()
		g.Expect(err).To(HaveOccurred(), name)
	}
}

func TestInClusterIsAllowedByNamespace(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Options{}.inClusterAllowed("a")).To(BeFalse())
	g.Expect(Options{InClusterNamespaces: []string{"a"}}.inClusterAllowed("a")).To(BeFalse())
	g.Expect(Options{AllowInCluster: true}.inClusterAllowed("a")).To(BeTrue())
	g.Expect(Options{AllowInCluster: true, InClusterNamespaces: []string{"b"}}.inClusterAllowed("a")).To(BeFalse())
	g.Expect(Options{AllowInCluster: true, InClusterNamespaces: []string{"b"}}.inClusterAllowed("b")).To(BeTrue())
}
