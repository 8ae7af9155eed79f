// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package k8s_test runs pkg/k8s, and what stands on it, on a real API server.
package k8s_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localnode"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var (
	plane *localplane.Plane
	node  *localnode.Node
	admin client.Client
)

var configMaps = k8s.Resource{Prefix: "/api/v1", Plural: "configmaps"}

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, func(p []*localplane.Plane) { plane = p[0] }, localplane.Options{}))
}

func TestK8s(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "k8s")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	admin, err = client.New(plane.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
	node, err = localnode.Start(ctx, plane, localnode.Options{
		Assets: localargo.Assets("../../.."), Scheduler: true,
		Logs: map[string][]string{"c": {"hi"}, "two": {"other"}, "followed": {"begins"}, "probe": {"The first line.", "The last line."}},
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(node.Stop()).To(Succeed()) })
})

// newClient is a client in a namespace of its own.
func newClient(change ...func(*rest.Config)) *k8s.Client {
	GinkgoHelper()
	config := plane.Config()
	for _, c := range change {
		c(config)
	}
	c, err := k8s.NewClient(k8s.Config{REST: config, Namespace: namespaceForPods()})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// namespaceForPods is a new one in which Pods are admitted: they need its ServiceAccount.
func namespaceForPods() string {
	GinkgoHelper()
	namespace := testenv.Namespace(GinkgoTB(), admin)
	key := client.ObjectKey{Namespace: namespace, Name: "default"}
	Eventually(func(ctx context.Context) error {
		return admin.Get(ctx, key, &corev1.ServiceAccount{})
	}).WithContext(GinkgoTB().Context()).Should(Succeed())
	return namespace
}

// through sends requests through a function.
func through(do func(next http.RoundTripper, req *http.Request) (*http.Response, error)) func(*rest.Config) {
	return func(config *rest.Config) {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) { return do(next, req) })
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func configMap(name, value string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"labels":{"app":"x"}},"data":{"value":%q}}`, name, value)
}
