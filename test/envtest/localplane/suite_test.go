// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package localplane_test runs internal/localplane and internal/testenv with
// the real binaries.
package localplane_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

const maxTokenLife = "3600s"

var (
	full *localplane.Plane // everything
	bare *localplane.Plane // no controller manager, an own API server flag
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(childVariable); mode != "" {
		os.Exit(runChild(mode))
	}
	os.Exit(m.Run())
}

func TestLocalplane(t *testing.T) {
	RegisterFailHandler(Fail)
	logf.SetLogger(GinkgoLogr)
	RunSpecs(t, "localplane")
}

var _ = BeforeSuite(func() {
	planes := testenv.Planes(GinkgoTB(),
		localplane.Options{Name: "full", AuditLog: true, CRDs: []string{"testdata/crds"}},
		localplane.Options{
			Name:                     "bare",
			WithoutControllerManager: true,
			APIServerArgs:            map[string][]string{"service-account-max-token-expiration": {maxTokenLife}},
		},
	)
	full, bare = planes[0], planes[1]
})

func clientset(cfg *rest.Config) *kubernetes.Clientset {
	GinkgoHelper()
	c, err := kubernetes.NewForConfig(cfg)
	Expect(err).NotTo(HaveOccurred())
	return c
}

// namespace is a new namespace of the full plane.
func namespace() string {
	GinkgoHelper()
	c, err := client.New(full.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
	return testenv.Namespace(GinkgoTB(), c)
}
