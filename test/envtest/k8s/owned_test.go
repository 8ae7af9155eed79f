// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// dependent is a ConfigMap that another owns, without a label.
func dependent(owner k8s.Value, finalizers string) string {
	GinkgoHelper()
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owned","finalizers":[%s],"ownerReferences":[
		{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":%q,"blockOwnerDeletion":true}]}}`, finalizers, textAt(owner, "/metadata/uid"))
}

func exists(ctx context.Context, c *k8s.Client, name string) func() (bool, error) {
	return func() (bool, error) {
		_, found, err := c.Get(ctx, configMaps, name)
		return found, err
	}
}

var _ = Describe("What an object owns while it is still held", func() {
	DescribeTable("", func(ctx SpecContext, propagation k8s.Propagation, waits bool) {
		c := newClient()
		owner, err := c.Create(ctx, configMaps, configMap("owner", ""))
		Expect(err).NotTo(HaveOccurred())
		_, err = c.Create(ctx, configMaps, dependent(owner, `"example.com/held"`))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Delete(ctx, configMaps, "owner", k8s.DeleteOptions{Propagation: propagation})).To(BeTrue())
		Eventually(func() (bool, error) {
			owned, _, err := c.Get(ctx, configMaps, "owned")
			return owned.Has("/metadata/deletionTimestamp"), err
		}).Should(BeTrue())
		if waits {
			Consistently(exists(ctx, c, "owner")).Should(BeTrue())
		} else {
			Expect(exists(ctx, c, "owner")()).To(BeFalse())
		}
		merge(ctx, c, "owned", `{"metadata":{"finalizers":null}}`)
		Eventually(exists(ctx, c, "owned")).Should(BeFalse())
		Eventually(exists(ctx, c, "owner")).Should(BeFalse())
	},
		Entry("is waited for in the foreground", k8s.Foreground, true),
		Entry("is left behind in the background", k8s.Background, false),
	)

	It("is deleted with all that matches", func(ctx SpecContext) {
		c := newClient()
		owner, err := c.Create(ctx, configMaps, configMap("owner", ""))
		Expect(err).NotTo(HaveOccurred())
		_, err = c.Create(ctx, configMaps, dependent(owner, ""))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.DeleteAll(ctx, configMaps, "app=x")).To(Equal(1))
		Eventually(exists(ctx, c, "owned")).Should(BeFalse())
	})
})
