// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package api_test runs the table of accepted and rejected requests against a real API server,
// and holds what the CRDs promise beyond rules: columns, names, the status subresource and
// field ownership.
package api_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var (
	plane *localplane.Plane
	// kube refuses unknown fields, as kubectl does.
	kube client.Client
)

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, func(planes []*localplane.Plane) { plane = planes[0] }, localplane.Options{
		WithoutControllerManager: true,
		CRDs:                     []string{"../../../config/crd/bases"},
	}))
}

func TestAPI(t *testing.T) {
	RegisterFailHandler(Fail)
	suite, reporter := GinkgoConfiguration()
	suite.RandomizeAllSpecs = true
	RunSpecs(t, "API", suite, reporter)
}

var _ = BeforeSuite(func() {
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v1alpha1.AddToScheme(scheme)).To(Succeed())
	c, err := client.New(plane.Config(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	kube = client.WithFieldValidation(c, "Strict")
})
