package manager_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var _ = Describe("ZZ", func() {
	It("wrong cluster in the bootstrap at deletion", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback, "--ready-without-plane")
		reg := ready(ctx, control, registration(ctx, control, namespace, "edge-1", account("wrong")))
		secret := &corev1.Secret{}
		Expect(control.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "edge-1-kubeconfig"}, secret)).To(Succeed())
		secret.Data["value"] = shared.Kubeconfig()
		Expect(control.Update(ctx, secret)).To(Succeed())
		unregister(ctx, control, reg)
	})
	It("gone target: deletion of never reached", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		start(ctx, control, control.token(ctx, systemNamespace, managerAccount), "--ready-without-plane")
		reg := registration(ctx, control, namespace, "edge-1", account("wrong"))
		Eventually(func(g Gomega) {
			g.Expect(control.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
			g.Expect(conditions(reg)).To(HaveKey("Reachable"))
		}).Should(Succeed())
		unregister(ctx, control, reg)
	})
})
