// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

var widgets = k8s.Resource{Prefix: "/apis/k8s.example.com/v1", Plural: "widgets"}

const widgetYAML = `
apiVersion: k8s.example.com/v1
kind: Widget
metadata:
  generateName: widget-
  labels: {app: x}
spec:
  size: 9007199254740993
  text: |
    one
    two
`

const widgetCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.k8s.example.com}
spec:
  group: k8s.example.com
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, format: int64}
              text: {type: string}
`

var _ = Describe("A custom resource", Ordered, func() {
	It("is unknown before it is defined", func(ctx SpecContext) {
		c := newClient()
		path := "/apis/k8s.example.com/v1/namespaces/" + c.Namespace() + "/widgets"
		_, err := c.Create(ctx, widgets, widgetYAML)
		Expect(err).To(MatchError(HavePrefix("k8s: POST " + path + ": 404 NotFound: ")))
		for _, from := range []string{"", "1"} {
			var seen []error
			for _, err := range c.Watch(ctx, widgets, k8s.WatchOptions{ResourceVersion: from}) {
				seen = append(seen, err)
			}
			Expect(seen).To(ConsistOf(MatchError(HavePrefix("k8s: GET " + path + ": 404 NotFound: "))))
		}
	})

	It("is an object like any other, without its type being known", func(ctx SpecContext) {
		read, err := k8s.ReadYAML(widgetCRD)
		Expect(err).NotTo(HaveOccurred())
		fields, ok := read.Interface().(map[string]any)
		Expect(ok).To(BeTrue())
		Expect(admin.Create(ctx, &unstructured.Unstructured{Object: fields})).To(Succeed())
		c := newClient()
		Eventually(func() error {
			_, err := c.List(ctx, widgets, "")
			return err
		}).Should(Succeed())
		created, err := c.Create(ctx, widgets, widgetYAML)
		Expect(err).NotTo(HaveOccurred())
		name := textAt(created, "/metadata/name")
		Expect(name).To(HavePrefix("widget-"))
		Expect(created.IntAt("/spec/size")).To(Equal(int64(9007199254740993)))
		Expect(created.StringAt("/spec/text")).To(Equal("one\ntwo\n"))

		var seen []string
		for event, err := range c.Watch(ctx, widgets, k8s.WatchOptions{Selector: "app=x"}) {
			Expect(err).NotTo(HaveOccurred())
			seen = append(seen, string(event.Type)+" "+textAt(event.Object, "/metadata/name"))
			if event.Type == k8s.Deleted {
				break
			}
			Expect(c.DeleteAll(ctx, widgets, "app=x")).To(Equal(1))
		}
		Expect(seen).To(Equal([]string{"ADDED " + name, "DELETED " + name}))
		_, found, err := c.Get(ctx, widgets, name)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeFalse())
	})

	It("is checked by the server", func(ctx SpecContext) {
		c := newClient()
		_, err := c.Create(ctx, widgets, `{"apiVersion":"k8s.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":"big"}}`)
		Expect(err).To(MatchError(And(ContainSubstring(": 422 Invalid: "), ContainSubstring("spec.size"))))
	})
})
