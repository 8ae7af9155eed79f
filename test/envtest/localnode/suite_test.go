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

	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localnode"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var (
	plane *localplane.Plane
	node  *localnode.Node
	kube  *kubernetes.Clientset
)

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, func(p []*localplane.Plane) { plane = p[0] }, localplane.Options{}))
}

func TestLocalnode(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "localnode")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	kube, err = kubernetes.NewForConfig(plane.Config())
	Expect(err).NotTo(HaveOccurred())
	node, err = localnode.Start(ctx, plane, localnode.Options{
		Assets: localargo.Assets("../../.."), Scheduler: true,
		Logs: map[string][]string{"talker": {"one", "two", "three"}},
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(node.Stop()).To(Succeed()) })
})
