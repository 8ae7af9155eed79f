// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/config/crd"
)

var _ = Describe("Discovery", func() {
	DescribeTable("tells kubectl how a kind can be called", func(plural, singular, kind string, shortNames []string) {
		client, err := discovery.NewDiscoveryClientForConfig(plane.Config())
		Expect(err).NotTo(HaveOccurred())
		resources, err := client.ServerResourcesForGroupVersion(v1alpha1.SchemeGroupVersion.String())
		Expect(err).NotTo(HaveOccurred())

		byName := map[string]metav1.APIResource{}
		for _, resource := range resources.APIResources {
			byName[resource.Name] = resource
		}
		resource := byName[plural]
		Expect(resource.Kind).To(Equal(kind))
		Expect(resource.SingularName).To(Equal(singular))
		Expect(resource.Namespaced).To(BeTrue())
		Expect(resource.ShortNames).To(Equal(shortNames))
		Expect(resource.Categories).To(Equal([]string{"ccluster"}))
		Expect(byName).To(HaveKey(plural + "/status"))
		Expect(byName).NotTo(HaveKey(plural + "/scale"))
	},
		Entry(nil, "clusterregistrations", "clusterregistration", v1alpha1.ClusterRegistrationKind, []string{"creg"}),
		Entry(nil, "cclinfraplanes", "cclinfraplane", v1alpha1.CCLInfraPlaneKind, nil),
		Entry(nil, "cclcomponentsets", "cclcomponentset", v1alpha1.CCLComponentSetKind, nil),
	)
})

var _ = Describe("Definitions", func() {
	It("are established as they are embedded", func(ctx SpecContext) {
		clients, err := apiextensionsclient.NewForConfig(plane.Config())
		Expect(err).NotTo(HaveOccurred())
		embedded, err := crd.CustomResourceDefinitions()
		Expect(err).NotTo(HaveOccurred())
		Expect(embedded).To(HaveLen(3))
		for _, want := range embedded {
			live, err := clients.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, want.Name, metav1.GetOptions{})
			Expect(err).NotTo(HaveOccurred())
			Expect(live.Spec.Versions).To(Equal(want.Spec.Versions))

			status := map[apiextensionsv1.CustomResourceDefinitionConditionType]apiextensionsv1.ConditionStatus{}
			for _, condition := range live.Status.Conditions {
				status[condition.Type] = condition.Status
			}
			Expect(status).To(HaveKeyWithValue(apiextensionsv1.Established, apiextensionsv1.ConditionTrue))
			Expect(status).To(HaveKeyWithValue(apiextensionsv1.NamesAccepted, apiextensionsv1.ConditionTrue))
			Expect(status).NotTo(HaveKey(apiextensionsv1.NonStructuralSchema))
		}
	})
})
