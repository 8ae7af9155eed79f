// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestTargets(t *testing.T) {
	const name, server = "tenant-a.edge", "https://edge.example.com:6443"
	for about, test := range map[string]struct {
		destination any
		want        bool
	}{
		"by name":                {map[string]any{"name": name}, true},
		"another name":           {map[string]any{"name": "tenant-a.edge-2"}, false},
		"by server":              {map[string]any{"server": server}, true},
		"with a slash":           {map[string]any{"server": server + "/"}, true},
		"in capitals":            {map[string]any{"server": "https://EDGE.example.com:6443"}, true},
		"another server":         {map[string]any{"server": "https://edge.example.com"}, false},
		"no destination":         {nil, false},
		"one of a wrong type":    {"x", false},
		"a name of a wrong type": {map[string]any{"name": int64(1)}, false},
	} {
		t.Run(about, func(t *testing.T) {
			app := Application{&unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"destination": test.destination, "project": "p"}}}}
			g := NewWithT(t)
			g.Expect(app.Targets(name, server)).To(Equal(test.want))
			g.Expect(app.Project()).To(Equal("p"))
		})
	}
	g := NewWithT(t)
	g.Expect(Application{&unstructured.Unstructured{}}.Targets(name, "")).To(BeFalse(), "no server is no server's")
}

func TestApplications(t *testing.T) {
	g := NewWithT(t)
	list := NewApplicationList()
	list.Items = []unstructured.Unstructured{{Object: map[string]any{"metadata": map[string]any{"name": "a"}}}}
	g.Expect(Applications(list)).To(HaveLen(1))
	g.Expect(Applications(list)[0].GetName()).To(Equal("a"))
}
