// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/manager"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var _ = Describe("Two managers", func() {
	It("hand over when the one that works is stopped, and do nothing twice", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		token := control.token(ctx, systemNamespace, managerAccount)
		begin, err := infra.AuditPosition()
		Expect(err).NotTo(HaveOccurred())

		first := start(ctx, control, token, allowLoopback, "--controllers=registration", "--ready-without-plane")
		Eventually(holder).WithContext(ctx).ShouldNot(BeEmpty())
		leader := holder(ctx)
		second := start(ctx, control, token, allowLoopback, "--controllers=registration", "--ready-without-plane")
		reg := ready(ctx, control, registration(ctx, control, namespace, "edge-1", account("handed-over"), retained))
		before, credential := marked(ctx, infra, reg), stored(ctx, control, reg)
		first.secrets = append(first.secrets, credential.Config.BearerToken)
		second.secrets = append(second.secrets, credential.Config.BearerToken)
		Expect(created(begin)).To(ConsistOf(before), "each object was made once")
		Expect(holder(ctx)).To(Equal(leader))
		built, err := infra.AuditPosition()
		Expect(err).NotTo(HaveOccurred())

		first.stop(ctx)
		Eventually(holder).WithContext(ctx).ShouldNot(Or(BeEmpty(), Equal(leader)))
		Expect(status(ctx, http.DefaultClient, "http://"+second.health+"/readyz", "")).To(Equal(http.StatusOK))

		By("having the second do what the first would have done")
		Expect(control.Delete(ctx, &v1alpha1.CCLInfraPlane{ObjectMeta: metav1Of(reg)})).To(Succeed())
		Eventually(func(ctx context.Context) error {
			return control.Get(ctx, client.ObjectKeyFromObject(reg), &v1alpha1.CCLInfraPlane{})
		}).WithContext(ctx).Should(Succeed())
		after := ready(ctx, control, reg)
		Expect(after.Status.Conditions).To(Equal(reg.Status.Conditions), "nothing has turned in between")
		Expect(stored(ctx, control, reg)).To(Equal(credential))
		Expect(marked(ctx, infra, reg)).To(ConsistOf(before))
		Expect(created(built)).To(BeEmpty())
		unregister(ctx, control, reg)
	})
})

// holder is who has the Lease, empty if nobody has.
func holder(ctx context.Context) string {
	lease := &coordinationv1.Lease{}
	err := control.Get(ctx, client.ObjectKey{Namespace: systemNamespace, Name: manager.LeaseName}, lease)
	if err != nil {
		return ""
	}
	return ptr.Deref(lease.Spec.HolderIdentity, "")
}

// created are the objects that managers have made on the infra plane since a position of its audit
// log, as kind and name.
func created(since int64) []string {
	GinkgoHelper()
	events, err := infra.Audit(localplane.AuditFilter{
		Since: since, UserAgent: "ccluster-go/",
		Where: func(e localplane.AuditEvent) bool { return e.Code == http.StatusCreated && e.Name != "" },
	})
	Expect(err).NotTo(HaveOccurred())
	kinds := map[string]string{
		"configmaps": "ConfigMap", "serviceaccounts": "ServiceAccount", "secrets": "Secret", "roles": "Role",
		"rolebindings": "RoleBinding", "clusterroles": "ClusterRole", "clusterrolebindings": "ClusterRoleBinding",
	}
	objects := make([]string, len(events))
	for i, e := range events {
		objects[i] = kinds[e.Resource] + " " + e.Name
	}
	return objects
}
