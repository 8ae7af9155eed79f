// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

// expectInArgoCD looks for what Argo CD is given, and then for its end.
func expectInArgoCD(ctx context.Context, reg *v1alpha1.ClusterRegistration, p *process) {
	GinkgoHelper()
	Expect(conditions(reg)).To(HaveKeyWithValue(v1alpha1.ConditionPlaneAvailable, "True Available"))
	credential := stored(ctx, control, reg)
	p.secrets = append(p.secrets, credential.Config.BearerToken)
	mirror, project := &corev1.Secret{}, argocd.NewProjectObject()
	secretKey := client.ObjectKey{Namespace: localargo.Namespace, Name: argocd.ClusterName(reg.Namespace, reg.Name)}
	projectKey := client.ObjectKey{Namespace: localargo.Namespace, Name: argocd.ProjectName(reg.Namespace)}
	Expect(control.Get(ctx, secretKey, mirror)).To(Succeed())
	Expect(string(mirror.Data["config"])).To(ContainSubstring(credential.Config.BearerToken))
	Expect(control.Get(ctx, projectKey, project)).To(Succeed())

	unregister(ctx, control, reg)
	Expect(apierrors.IsNotFound(control.Get(ctx, secretKey, mirror))).To(BeTrue())
	Expect(apierrors.IsNotFound(control.Get(ctx, projectKey, project))).To(BeTrue())
}

var _ = Describe("The manager beside Argo CD", func() {
	It("has the rights that it needs: config/default", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		p := start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback)
		reg := ready(ctx, control, registration(ctx, control, namespace, "edge-1", account("with-argocd"), retained))
		expectInArgoCD(ctx, reg, p)
	})
})
