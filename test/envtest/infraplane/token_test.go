// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tokenOf requests a token of an account.
func tokenOf(ctx context.Context, c client.Client, account *corev1.ServiceAccount) string {
	GinkgoHelper()
	request := &authenticationv1.TokenRequest{}
	Expect(c.SubResource("token").Create(ctx, account, request)).To(Succeed())
	return request.Status.Token
}
