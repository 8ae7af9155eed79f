// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
)

func TestInClusterTakesWhatThePodHas(t *testing.T) {
	g := NewWithT(t)
	load := func() (*rest.Config, error) { return &rest.Config{Host: "https://h", BearerTokenFile: "/token"}, nil }
	file := filepath.Join(t.TempDir(), "namespace")
	config, err := inCluster(load, file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.Namespace).To(BeEmpty())
	g.Expect(config.namespace()).To(Equal("default"))
	g.Expect(os.WriteFile(file, []byte("team\n"), 0o600)).To(Succeed())
	config, err = inCluster(load, file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config).To(Equal(Config{REST: &rest.Config{Host: "https://h", BearerTokenFile: "/token"}, Namespace: "team"}))
	_, err = inCluster(load, filepath.Dir(file))
	g.Expect(err).To(MatchError(ContainSubstring("read the Pod's namespace")))
	_, err = inCluster(func() (*rest.Config, error) { return nil, errors.New("no token") }, file)
	g.Expect(err).To(MatchError("k8s: load in-cluster configuration: no token"))
}

func TestChanges(t *testing.T) {
	object := func(name, uid, version string) Value {
		return Value{data: map[string]any{"metadata": map[string]any{"name": name, "uid": uid, "resourceVersion": version}}}
	}
	known := map[string]Value{
		"same": object("same", "1", "10"), "changed": object("changed", "2", "11"),
		"gone": object("gone", "3", "12"), "replaced": object("replaced", "4", "13"),
	}
	now := []Value{object("new", "5", "20"), object("changed", "2", "21"), object("same", "1", "10"), object("replaced", "6", "22")}
	describe := func(events []Event) []string {
		var all []string
		for _, e := range events {
			all = append(all, fmt.Sprint(e.Type, " ", e.Object.meta("name"), " ", e.Object.meta("resourceVersion")))
		}
		return all
	}
	g := NewWithT(t)
	got := describe(changes(known, now))
	g.Expect(got[:2]).To(ConsistOf("DELETED gone 12", "DELETED replaced 13"))
	g.Expect(got[2:]).To(Equal([]string{"ADDED new 20", "MODIFIED changed 21", "ADDED replaced 22"}))
	g.Expect(changes(nil, nil)).To(BeEmpty())
	g.Expect(describe(changes(nil, now[:1]))).To(Equal([]string{"ADDED new 20"}))
}
