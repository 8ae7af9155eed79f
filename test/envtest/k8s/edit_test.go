// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// patch gives a ConfigMap another value, which the client under test has no call for.
func patch(ctx context.Context, c *k8s.Client, name, value string) {
	GinkgoHelper()
	merge(ctx, c, name, fmt.Sprintf(`{"data":{"value":%q}}`, value))
}

func label(ctx context.Context, c *k8s.Client, name, value string) {
	GinkgoHelper()
	merge(ctx, c, name, fmt.Sprintf(`{"metadata":{"labels":{"other":%q}}}`, value))
}

func merge(ctx context.Context, c *k8s.Client, name, text string) {
	GinkgoHelper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace(), Name: name}}
	Expect(admin.Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(text)))).To(Succeed())
}
