// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
)

func TestProjectIntent(t *testing.T) {
	g := NewWithT(t)
	intent, err := Project{
		Name: "ccluster-a", Namespace: "argocd", Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "2"},
		Spec: ProjectSpec{SourceRepos: []string{}, SourceNamespaces: []string{"a"}, Destinations: []Destination{{Name: "a.b", Namespace: "*"}}},
	}.Intent()
	g.Expect(err).NotTo(HaveOccurred())
	text, err := json.Marshal(intent)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(MatchJSON(`{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
		"metadata": {"name": "ccluster-a", "namespace": "argocd", "labels": {"l": "1"}, "annotations": {"a": "2"}},
		"spec": {"sourceRepos": [], "sourceNamespaces": ["a"], "destinations": [{"name": "a.b", "namespace": "*"}]}
	}`))
}
