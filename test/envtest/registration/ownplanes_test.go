// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// moveTo makes the bench work on another infra plane than the suite's, for what would disturb the
// specs that share that.
func (b *bench) moveTo(plane *localplane.Plane) {
	GinkgoHelper()
	b.plane, b.kubeconfig = adminOf(plane), plane.Kubeconfig()
}

// frontOf is through for a plane that is not the suite's.
func (b *bench) frontOf(plane *localplane.Plane) *localplane.Front {
	GinkgoHelper()
	front, err := plane.Front(b.ctx)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(front.Close)
	b.kubeconfig, err = front.Kubeconfig()
	Expect(err).NotTo(HaveOccurred())
	return front
}

// tokenKubeconfig is an administrator's kubeconfig with a token instead of a certificate.
func (b *bench) tokenKubeconfig(plane *localplane.Plane, front *localplane.Front) []byte {
	GinkgoHelper()
	return kubeconfigOf(&rest.Config{
		Host: front.Server(), BearerToken: b.adminToken(b.ctx),
		TLSClientConfig: rest.TLSClientConfig{CAData: plane.CAData()},
	})
}
