// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// A parser quotes what it could not read.
func TestBrokenKubeconfigsAreNotQuoted(t *testing.T) {
	for _, text := range []string{
		"users: [{name: u, user: {token: *" + secret + "}}]",
		"users: [{name: u, user: {? {token: " + secret + "} : x}}]",
		"users: [{name: u, user: {token: !!int " + secret + "}}]",
		"kind: " + secret,
		secret,
	} {
		g := NewWithT(t)
		path := file(t, "config", text, 0o600)
		_, err := k8s.FromKubeconfig(path, "")
		g.Expect(err).To(MatchError(And(ContainSubstring(path), Not(ContainSubstring(secret)))))
		_, err = k8s.ParseKubeconfig([]byte(text), "")
		g.Expect(err).To(MatchError(Not(ContainSubstring(secret))))
	}
}
