// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

var _ = Describe("The manager with the rights of config/default", func() {
	It("registers a cluster and takes everything away again", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		p := start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback, "--controllers=registration", "--ready-without-plane")
		reg := ready(ctx, control, registration(ctx, control, namespace, "edge-1"))

		Expect(conditions(reg)).To(And(
			HaveLen(8),
			HaveKeyWithValue(v1alpha1.ConditionBootstrapAccepted, "True Accepted"),
			HaveKeyWithValue(v1alpha1.ConditionReachable, "True Connected"),
			HaveKeyWithValue(v1alpha1.ConditionAuthorized, "True Granted"),
			HaveKeyWithValue(v1alpha1.ConditionTokenIssued, "True Verified"),
			HaveKeyWithValue(v1alpha1.ConditionCredentialsApplied, "True Applied"),
		))
		Expect(reg.Status.Server).To(Equal(infra.Server()))

		By("storing a credential that works")
		credential := stored(ctx, control, reg)
		p.secrets = append(p.secrets, credential.Config.BearerToken)
		Expect(credential.Server).To(Equal(infra.Server()))
		Expect(whoAmI(ctx, connect(credential))).To(Equal("system:serviceaccount:kube-system:ccluster-manager"))
		rights, err := client.New(connect(credential), client.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(rights.List(ctx, &corev1.NodeList{})).To(Succeed(), "it is bound to cluster-admin")

		By("making the CCLInfraPlane that points at it")
		plane := &v1alpha1.CCLInfraPlane{}
		Expect(control.Get(ctx, client.ObjectKeyFromObject(reg), plane)).To(Succeed())
		Expect(plane.Spec.ClusterCredentialsRef).To(HaveValue(HaveField("Name", "edge-1-credentials")))

		By("telling of it")
		Eventually(func(g Gomega, ctx context.Context) {
			var events eventsv1.EventList
			g.Expect(control.List(ctx, &events, client.InNamespace(namespace))).To(Succeed())
			g.Expect(events.Items).To(HaveEach(And(
				HaveField("Regarding.UID", reg.UID),
				HaveField("ReportingController", "ccluster-go-registration"),
				HaveField("Type", corev1.EventTypeNormal),
			)))
			g.Expect(events.Items).To(ContainElement(HaveField("Reason", "TokenStored")))
			g.Expect(events.Items).To(ContainElement(And(
				HaveField("Reason", v1alpha1.ReasonReady), HaveField("Note", HavePrefix("Ready is True")))))
		}).WithContext(ctx).Should(Succeed())

		By("leaving nothing behind")
		Expect(marked(ctx, infra, reg)).To(ConsistOf(
			HavePrefix("ConfigMap ccluster-claim-"), "ServiceAccount ccluster-manager", "Secret ccluster-manager-token",
			"ClusterRoleBinding ccluster:kube-system:ccluster-manager",
			"Role ccluster-manager-self", "RoleBinding ccluster-manager-self",
		))
		unregister(ctx, control, reg)
		Eventually(func(g Gomega, ctx context.Context) {
			_, err := whoAmI(ctx, connect(credential))
			g.Expect(apierrors.IsUnauthorized(err)).To(BeTrue(), "the token is still accepted: %v", err)
		}).WithContext(ctx).Should(Succeed())
	})

	It("marks what it makes with the UID of kube-system, or with the ID that is given", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		system := &corev1.Namespace{}
		Expect(control.Get(ctx, client.ObjectKey{Name: "kube-system"}, system)).To(Succeed())
		token := control.token(ctx, systemNamespace, managerAccount)

		p := start(ctx, control, token, allowLoopback, "--controllers=registration", "--ready-without-plane")
		reg := ready(ctx, control, registration(ctx, control, namespace, "edge-1", account("by-uid"), retained))
		Expect(marked(ctx, infra, reg)).To(ContainElement("ConfigMap ccluster-claim-" + string(system.UID)))
		unregister(ctx, control, reg)
		p.stop(ctx)

		start(ctx, control, token, allowLoopback, "--controllers=registration", "--ready-without-plane", "--control-plane-id=cp-1")
		reg = ready(ctx, control, registration(ctx, control, namespace, "edge-2", account("by-flag"), retained))
		Expect(marked(ctx, infra, reg)).To(ContainElement("ConfigMap ccluster-claim-cp-1"))
		unregister(ctx, control, reg)
	})

	It("reacts at once to a labelled bootstrap Secret, which no cache of its own holds", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback, "--controllers=registration", "--ready-without-plane")
		reg := &v1alpha1.ClusterRegistration{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "edge-1"}}
		reg.Spec.Bootstrap.KubeconfigSecretRef.Name = "edge-1-kubeconfig"
		account("awaited")(reg)
		retained(reg)
		Expect(control.Create(ctx, reg)).To(Succeed())
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(control.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
			g.Expect(conditions(reg)).To(HaveKeyWithValue(v1alpha1.ConditionBootstrapAccepted, HavePrefix("False ReferenceNotFound")))
		}).WithContext(ctx).Should(Succeed())
		// The manager would look for it by itself once a minute, which is longer than this waits.
		bootstrap(ctx, control, namespace, "edge-1-kubeconfig")
		unregister(ctx, control, ready(ctx, control, reg))
	})

	It("registers its own cluster where that is allowed", func(ctx SpecContext) {
		namespace, other := testenv.Namespace(GinkgoTB(), control), testenv.Namespace(GinkgoTB(), control)
		start(ctx, control, control.token(ctx, systemNamespace, managerAccount),
			"--allow-in-cluster", "--in-cluster-namespace="+namespace, "--controllers=registration", "--ready-without-plane")
		hub := inCluster(ctx, namespace)
		refused := inCluster(ctx, other)
		hub = ready(ctx, control, hub)
		plane := &v1alpha1.CCLInfraPlane{}
		Expect(control.Get(ctx, client.ObjectKeyFromObject(hub), plane)).To(Succeed())
		Expect(plane.Spec.ClusterCredentialsRef).To(BeZero())
		Expect(control.Get(ctx, credentialsKey(hub), &corev1.Secret{})).To(MatchError(apierrors.IsNotFound, "IsNotFound"))
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(control.Get(ctx, client.ObjectKeyFromObject(refused), refused)).To(Succeed())
			g.Expect(conditions(refused)).To(HaveKeyWithValue(v1alpha1.ConditionBootstrapAccepted, HavePrefix("False ReferenceNotPermitted")))
		}).WithContext(ctx).Should(Succeed())
		unregister(ctx, control, refused)
		unregister(ctx, control, hub)
	})

	It("cleans up when the whole namespace is deleted, with the credential that it keeps until then", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		p := start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback, "--controllers=registration", "--ready-without-plane")
		p.mayBeForbidden = namespace
		reg := ready(ctx, control, registration(ctx, control, namespace, "edge-1", account("last")))

		By("having the Secrets go first: Kubernetes promises no order")
		Expect(control.StopControllerManager()).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(control.StartControllerManager(ctx)).To(Succeed()) })
		Expect(control.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})).To(Succeed())
		Expect(control.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(namespace))).To(Succeed())
		Eventually(func(g Gomega, ctx context.Context) {
			g.Expect(control.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
			g.Expect(conditions(reg)).To(HaveKeyWithValue(v1alpha1.ConditionCredentialsApplied, HavePrefix("False NamespaceTerminating")))
		}).WithContext(ctx).Should(Succeed())
		Expect(control.Get(ctx, credentialsKey(reg), &corev1.Secret{})).To(Succeed())

		By("then everything else")
		Expect(control.StartControllerManager(ctx)).To(Succeed())
		expectGone(ctx, control, &corev1.Namespace{}, client.ObjectKey{Name: namespace})
		Expect(marked(ctx, infra, reg)).To(BeEmpty())
	})

	It("does not dial loopback unless that is allowed", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		before, err := infra.AuditPosition()
		Expect(err).NotTo(HaveOccurred())
		start(ctx, control, control.token(ctx, systemNamespace, managerAccount), "--revoke-timeout=1s")
		expectDenied(ctx, registration(ctx, control, namespace, "edge-1"))
		Expect(requests(before)).To(BeEmpty())
	})

	It("does not dial its own API server, whatever is allowed", func(ctx SpecContext) {
		namespace := testenv.Namespace(GinkgoTB(), control)
		start(ctx, control, control.token(ctx, systemNamespace, managerAccount), allowLoopback, "--revoke-timeout=1s")
		expectDenied(ctx, registration(ctx, control, namespace, "own", func(reg *v1alpha1.ClusterRegistration) {
			reg.Spec.Endpoint = &v1alpha1.Endpoint{Server: control.Server(), CABundle: control.CAData()}
		}))
	})
})

// expectDenied waits until the address of a registration has been refused, and deletes it.
func expectDenied(ctx context.Context, reg *v1alpha1.ClusterRegistration) {
	GinkgoHelper()
	Eventually(func(g Gomega, ctx context.Context) {
		g.Expect(control.Get(ctx, client.ObjectKeyFromObject(reg), reg)).To(Succeed())
		g.Expect(conditions(reg)).To(HaveKeyWithValue(v1alpha1.ConditionReachable, HavePrefix("False AddressDenied")))
	}).WithContext(ctx).Should(Succeed())
	unregister(ctx, control, reg)
}

// requests are what managers asked of the infra plane since a position of its audit log.
func requests(since int64) []localplane.AuditEvent {
	GinkgoHelper()
	events, err := infra.Audit(localplane.AuditFilter{Since: since, UserAgent: "ccluster-go/"})
	Expect(err).NotTo(HaveOccurred())
	return events
}

// inCluster is a registration of the control plane's own cluster.
func inCluster(ctx context.Context, namespace string) *v1alpha1.ClusterRegistration {
	GinkgoHelper()
	reg := &v1alpha1.ClusterRegistration{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "hub"}}
	reg.Spec.InCluster = &v1alpha1.InCluster{}
	Expect(control.Create(ctx, reg)).To(Succeed())
	return reg
}
