// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package localnode_test runs internal/localnode with the real kwok and kube-scheduler.
package localnode_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localnode"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var (
	plane *localplane.Plane // has the node for all specs
	other *localplane.Plane // has nodes that a spec starts and stops
	node  *localnode.Node
	kube  *kubernetes.Clientset
)

func TestMain(m *testing.M) {
	use := func(p []*localplane.Plane) { plane, other = p[0], p[1] }
	os.Exit(testenv.Main(m, use, localplane.Options{Name: "pods"}, localplane.Options{Name: "life"}))
}

func TestLocalnode(t *testing.T) {
	RegisterFailHandler(Fail)
	logf.SetLogger(GinkgoLogr)
	RunSpecs(t, "localnode")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	kube, err = kubernetes.NewForConfig(plane.Config())
	Expect(err).NotTo(HaveOccurred())
	node, err = localnode.Start(ctx, plane, localnode.Options{
		Assets: assets(), Scheduler: true,
		Logs: map[string][]string{"talker": {"one", "two", "three"}, "followed": {"first"}},
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(node.Stop()).To(Succeed()) })
})

func assets() string { return localargo.Assets("../../..") }
