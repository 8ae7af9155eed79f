// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"slices"
	"strings"
)

const maxKeys = 32

// registrationMapCases are about what is copied to Argo CD's cluster Secret.
func registrationMapCases() []Case {
	s := registration()
	const labels, annotations = "spec.clusterLabels", "spec.clusterAnnotations"
	return slices.Concat(
		s.keys(labels), s.keys(annotations),
		s.lengths(labels+"{}", 0, 63, letters),
		s.pattern(labels+"{}", []string{"", "a", "A_b-1.c"}, []string{"-a", "a-", "a b", "a/b", "ä"}),
		s.lengths(annotations+"{}", 0, 4096, letters),
		[]Case{s.accept(Rule{}, "free text in an annotation", set(annotations+"{}", "{\"a\": \"ä\\n\"}"))},
	)
}

func numberedKeys(n int) Object {
	keys := Object{}
	for i := range n {
		keys[fmt.Sprintf("k%d", i)] = ""
	}
	return keys
}

// keys of a map.
func (s subject) keys(path string) []Case {
	count := s.rule(path, "maxProperties")
	cases := []Case{
		s.accept(count, "none", set(path, Object{})),
		s.accept(count, "at the limit", set(path, numberedKeys(maxKeys))),
		s.reject(count, "over the limit", Cause{
			Type: "FieldValueTooMany", Field: path, Message: fmt.Sprintf("must have at most %d items", maxKeys),
		}, set(path, numberedKeys(maxKeys+1))),
	}

	const qualified = "keys must be qualified names"
	r := s.cel(path, qualified)
	longest := strings.Repeat("a.", 126) + "a/" + letters(63)
	for _, key := range []string{"a", "example.com/A_b.c", longest} {
		cases = append(cases, s.accept(r, "accepts "+show(key), set(path, Object{key: "v"})))
	}
	for _, key := range []string{"", "/a", "a/", "a/b/c", "a b", "-a", "Example.com/a", letters(64), "a" + longest} {
		cases = append(cases, s.reject(r, "rejects "+show(key), invalid(path, qualified), set(path, Object{"ok": "v", key: "v"})))
	}

	const reserved = "keys must not be in the domains 'argocd.argoproj.io', 'ccluster.nvidia.com', 'kubernetes.io' or 'k8s.io'"
	r = s.cel(path, reserved)
	for _, domain := range []string{"argocd.argoproj.io", "ccluster.nvidia.com", "kubernetes.io", "k8s.io"} {
		for _, key := range []string{domain + "/a", "app." + domain + "/a", "x.y." + domain + "/a"} {
			cases = append(cases, s.reject(r, "rejects "+key, forbidden(path, reserved), set(path, Object{"ok": "v", key: "v"})))
		}
		for _, key := range []string{domain, "app." + domain, "not" + domain + "/a", "not-" + domain + "/a", domain + ".example.com/a", "example.com/" + domain} {
			cases = append(cases, s.accept(r, "accepts "+key, set(path, Object{key: "v"})))
		}
	}
	// A dot in the pattern is a dot only.
	for _, key := range []string{"k8sxio/a", "kubernetesxio/a", "argocd-argoproj.io/a", "argoproj.io/a", "nvidia.com/a"} {
		cases = append(cases, s.accept(r, "accepts "+key, set(path, Object{key: "v"})))
	}
	return cases
}
