// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var _ = Describe("A refusal", func() {
	It("of a user says who may not do what", func(ctx SpecContext) {
		c := newClient(impersonate)
		_, found, err := c.Get(ctx, k8s.Pods, "y")
		Expect(found).To(BeFalse())
		Expect(err).To(MatchError("k8s: GET /api/v1/namespaces/" + c.Namespace() + `/pods/y: 403 Forbidden: pods "y" is forbidden: ` +
			`User "stranger" cannot get resource "pods" in API group "" in the namespace "` + c.Namespace() + `"`))
		Expect(apierrors.IsForbidden(err)).To(BeTrue())
		_, err = c.Delete(ctx, k8s.Pods, "y", k8s.DeleteOptions{})
		Expect(err).To(MatchError(HavePrefix("k8s: DELETE /api/v1/namespaces/" + c.Namespace() + "/pods/y: 403 Forbidden: ")))
		_, err = c.DeleteAll(ctx, k8s.Pods, "app=x")
		Expect(err).To(MatchError(HavePrefix("k8s: GET /api/v1/namespaces/" + c.Namespace() + "/pods: 403 Forbidden: ")))
		_, err = c.Logs(ctx, "y", k8s.LogOptions{})
		Expect(err).To(MatchError(HavePrefix("k8s: GET /api/v1/namespaces/" + c.Namespace() + "/pods/y/log: 403 Forbidden: ")))
	})

	It("of a manifest says what is wrong with it", func(ctx SpecContext) {
		c := newClient()
		path := "/api/v1/namespaces/" + c.Namespace() + "/configmaps"
		_, err := c.Create(ctx, configMaps, configMap("A_", ""))
		Expect(err).To(And(HaveField("Method", "POST"), HaveField("Path", path), HaveField("Code", 422),
			HaveField("Reason", metav1.StatusReasonInvalid), HaveField("Message", HavePrefix(`ConfigMap "A_" is invalid: metadata.name: Invalid value: "A_"`))))
		Expect(apierrors.IsInvalid(err)).To(BeTrue())

		_, err = c.Create(ctx, configMaps, serviceJSON)
		Expect(err).To(MatchError(And(HavePrefix("k8s: POST "+path+": 400 BadRequest: "), ContainSubstring("Service"))))
		_, err = c.Create(ctx, configMaps, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: elsewhere}\n")
		Expect(err).To(MatchError(HavePrefix("k8s: POST " + path + ": 400 BadRequest: the namespace of the provided object does not match")))
		listed, err := c.List(ctx, configMaps, "app=x")
		Expect(err).NotTo(HaveOccurred())
		Expect(listed.Items).To(BeEmpty())
	})

	It("of a namespace that is not there is one only to what creates", func(ctx SpecContext) {
		c := newClient().In("not-there")
		_, err := c.Create(ctx, configMaps, configMap("a", ""))
		Expect(err).To(MatchError(`k8s: POST /api/v1/namespaces/not-there/configmaps: 404 NotFound: namespaces "not-there" not found`))
		Expect(apierrors.IsNotFound(err)).To(BeTrue())
		_, found, err := c.Get(ctx, configMaps, "a")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeFalse())
		Expect(c.Delete(ctx, configMaps, "a", k8s.DeleteOptions{})).To(BeFalse())
		Expect(c.DeleteAll(ctx, configMaps, "app=x")).To(Equal(0))
	})
})
