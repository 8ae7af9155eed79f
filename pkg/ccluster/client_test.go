// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

func TestNewClientMakesNoCall(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	g.Expect(ccluster.NewClient(server, "team").Namespace()).To(Equal("team"))
	g.Expect(server.calls).To(BeEmpty())
}

func TestNewSchemeHasTheKinds(t *testing.T) {
	g := NewWithT(t)
	scheme, err := ccluster.NewScheme()
	g.Expect(err).NotTo(HaveOccurred())
	for _, kind := range []string{"ClusterRegistration", "CCLInfraPlane", "CCLComponentSet"} {
		g.Expect(scheme.Recognizes(v1alpha1.SchemeGroupVersion.WithKind(kind))).To(BeTrue(), kind)
		g.Expect(scheme.Recognizes(v1alpha1.SchemeGroupVersion.WithKind(kind+"List"))).To(BeTrue(), kind)
	}
	g.Expect(scheme.Recognizes(corev1.SchemeGroupVersion.WithKind("Secret"))).To(BeTrue())
}

func TestNewApplierKnowsBothKindsOfKinds(t *testing.T) {
	g := NewWithT(t)
	_, err := ccluster.NewApplier(newFakeServer(t), "")
	g.Expect(err).To(MatchError("create applier: owner must not be empty"))
	applier, err := ccluster.NewApplier(newFakeServer(t), "someone")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(applier.Owner()).To(Equal("someone"))
}

func TestEnsureNamespace(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	c := ccluster.NewClient(server, "team")
	g.Expect(c.EnsureNamespace(t.Context())).To(Succeed())
	g.Expect(server.writes()).To(Equal([]string{"apply Namespace team as ccluster-go"}))
	namespace := &corev1.Namespace{}
	g.Expect(server.server.Get(t.Context(), client.ObjectKey{Name: "team"}, namespace)).To(Succeed())
	g.Expect(c.EnsureNamespace(t.Context())).To(Succeed())
}

func TestEnsureNamespaceLeavesAnExistingOneAsItIs(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: "team", UID: "uid-team", Labels: map[string]string{"theirs": "yes"}, Finalizers: []string{"example.com/keep"},
	}})
	g.Expect(ccluster.NewClient(server, "team").EnsureNamespace(t.Context())).To(Succeed())
	namespace := &corev1.Namespace{}
	g.Expect(server.server.Get(t.Context(), client.ObjectKey{Name: "team"}, namespace)).To(Succeed())
	g.Expect(namespace.Labels).To(HaveKeyWithValue("theirs", "yes"))
	g.Expect(namespace.Finalizers).To(Equal([]string{"example.com/keep"}))
	g.Expect(namespace.UID).To(BeEquivalentTo("uid-team"))
}

// A mistyped namespace is an error instead of a new namespace.
func TestNothingElseMakesANamespace(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	_, err := ccluster.NewClient(server, "team").ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).NotTo(HaveOccurred(), "the fake server does not ask for it")
	g.Expect(server.writes()).NotTo(ContainElement(HavePrefix("apply Namespace")))
}
