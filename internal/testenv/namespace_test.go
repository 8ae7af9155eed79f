// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestNamespaceIsUniqueAndDeletedAfterTheTest(t *testing.T) {
	g := NewWithT(t)
	c := fake.NewClientBuilder().Build()
	var first, second string
	t.Run("made", func(t *testing.T) {
		g := NewWithT(t)
		first, second = Namespace(t, c), Namespace(t, c)
		g.Expect(first).To(HavePrefix(namespacePrefix))
		g.Expect(first).NotTo(Equal(second))
		var list corev1.NamespaceList
		g.Expect(c.List(t.Context(), &list)).To(Succeed())
		g.Expect(list.Items).To(HaveLen(2))
	})
	for _, name := range []string{first, second} {
		err := c.Get(t.Context(), client.ObjectKey{Name: name}, &corev1.Namespace{})
		g.Expect(client.IgnoreNotFound(err)).To(Succeed())
		g.Expect(err).To(HaveOccurred())
	}
}
