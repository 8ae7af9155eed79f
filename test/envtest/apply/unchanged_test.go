// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// edit changes the object as kubectl would, with a merge patch.
func edit(ctx SpecContext, obj client.Object, patch string) {
	GinkgoHelper()
	Expect(kube.Patch(ctx, obj, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("kubectl-edit"))).To(Succeed())
}

// sample is one kind, with patches another client makes to it.
type sample struct {
	live   client.Object
	intent func(ns string) runtime.ApplyConfiguration
	change string // of a field the intent has
	remove string // of a field the intent has; empty if the kind allows none
}

func labels() map[string]string { return map[string]string{"app.example.com/ours": "yes"} }

const (
	addLabel    = `{"metadata":{"labels":{"theirs":"yes"},"annotations":{"theirs":"yes"},"finalizers":["theirs.example.com/hold"]}}`
	changeLabel = `{"metadata":{"labels":{"app.example.com/ours":"no"}}}`
	removeLabel = `{"metadata":{"labels":{"app.example.com/ours":null}}}`
)

func samples() map[string]sample {
	return map[string]sample{
		"Secret": {
			&corev1.Secret{},
			func(ns string) runtime.ApplyConfiguration {
				return corev1ac.Secret("sample", ns).WithType(corev1.SecretTypeOpaque).WithData(map[string][]byte{"token": []byte("abc"), "empty": {}})
			},
			`{"data":{"token":"eHl6"}}`, `{"data":{"token":null}}`,
		},
		"ConfigMap": {
			&corev1.ConfigMap{},
			func(ns string) runtime.ApplyConfiguration {
				return corev1ac.ConfigMap("sample", ns).WithData(map[string]string{"k": "v"}).WithBinaryData(map[string][]byte{"b": {0, 1, 2}})
			},
			`{"data":{"k":"w"}}`, `{"binaryData":{"b":null}}`,
		},
		"ServiceAccount": {
			&corev1.ServiceAccount{},
			func(ns string) runtime.ApplyConfiguration {
				return corev1ac.ServiceAccount("sample", ns).WithLabels(labels()).WithAutomountServiceAccountToken(false)
			},
			`{"automountServiceAccountToken":true}`, `{"automountServiceAccountToken":null}`,
		},
		"Role": {
			&rbacv1.Role{},
			func(ns string) runtime.ApplyConfiguration {
				return rbacv1ac.Role("sample", ns).WithLabels(labels()).WithRules(
					rbacv1ac.PolicyRule().WithAPIGroups("").WithResources("secrets", "configmaps").WithVerbs("get"))
			},
			`{"rules":[{"apiGroups":[""],"resources":["configmaps","secrets"],"verbs":["get"]}]}`, removeLabel,
		},
		"RoleBinding": {
			&rbacv1.RoleBinding{},
			func(ns string) runtime.ApplyConfiguration {
				return rbacv1ac.RoleBinding("sample", ns).
					WithRoleRef(rbacv1ac.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind("Role").WithName("sample")).
					WithSubjects(rbacv1ac.Subject().WithKind("ServiceAccount").WithName("sample").WithNamespace(ns))
			},
			`{"subjects":[]}`, `{"subjects":null}`,
		},
		"ClusterRole": {
			&rbacv1.ClusterRole{},
			func(ns string) runtime.ApplyConfiguration {
				return rbacv1ac.ClusterRole(ns).WithLabels(labels()).WithRules(
					rbacv1ac.PolicyRule().WithAPIGroups("").WithResources("namespaces").WithResourceNames("kube-system").WithVerbs("get"))
			},
			changeLabel, removeLabel,
		},
		"Deployment": {
			&appsv1.Deployment{},
			func(ns string) runtime.ApplyConfiguration {
				return appsv1ac.Deployment("sample", ns).WithSpec(appsv1ac.DeploymentSpec().
					WithReplicas(0).
					WithPaused(false). // not written back by the server
					WithSelector(metav1ac.LabelSelector().WithMatchLabels(labels())).
					WithTemplate(corev1ac.PodTemplateSpec().WithLabels(labels()).WithSpec(corev1ac.PodSpec().
						WithContainers(corev1ac.Container().WithName("main").WithImage("example.com/image").WithTTY(false).
							WithPorts(corev1ac.ContainerPort().WithContainerPort(80)).
							WithEnv(corev1ac.EnvVar().WithName("A").WithValue(""))).
						WithVolumes(corev1ac.Volume().WithName("tmp").WithEmptyDir(corev1ac.EmptyDirVolumeSource())))))
			},
			`{"spec":{"paused":true}}`, removeVolumes,
		},
		"custom kind": {
			newWidget("", ""),
			func(ns string) runtime.ApplyConfiguration {
				return widgetIntent(ns, "sample", map[string]any{
					"local":  map[string]any{},
					"values": map[string]any{"replicas": int64(2), "list": []any{"a", 1.5, map[string]any{}}, "empty": map[string]any{}, "none": nil},
				})
			},
			`{"spec":{"values":{"replicas":3}}}`, `{"spec":{"local":null}}`,
		},
	}
}

const removeVolumes = `{"spec":{"template":{"spec":{"volumes":null}}}}`

var _ = Describe("Unchanged", func() {
	for kind, s := range samples() {
		It("follows what others do to a "+kind, func(ctx SpecContext) {
			ns := newNamespace(ctx)
			one := applier("one")
			live := s.live.DeepCopyObject().(client.Object)
			unchanged := func() bool {
				GinkgoHelper()
				live = reload(ctx, live)
				same, err := one.Unchanged(live, s.intent(ns), "")
				Expect(err).NotTo(HaveOccurred())
				return same
			}
			Expect(one.Ensure(ctx, nil, s.intent(ns), live)).To(BeTrue())
			DeferCleanup(func(ctx SpecContext) { edit(ctx, live, `{"metadata":{"finalizers":null}}`) })
			Expect(unchanged()).To(BeTrue(), "after the apply")

			edit(ctx, live, addLabel)
			Expect(unchanged()).To(BeTrue(), "after someone added fields")

			edit(ctx, live, s.change)
			Expect(unchanged()).To(BeFalse(), "after someone changed a field")
			Expect(one.Ensure(ctx, live, s.intent(ns), nil)).To(BeTrue())
			Expect(unchanged()).To(BeTrue(), "after the repair")

			edit(ctx, live, s.remove)
			Expect(unchanged()).To(BeFalse(), "after someone removed a field")
			Expect(one.Ensure(ctx, live, s.intent(ns), nil)).To(BeTrue())
			Expect(unchanged()).To(BeTrue(), "after the second repair")
			Expect(live.GetLabels()).To(HaveKeyWithValue("theirs", "yes"))
			Expect(live.GetFinalizers()).To(ConsistOf("theirs.example.com/hold"))
			before := live.GetResourceVersion()
			Expect(one.Ensure(ctx, live, s.intent(ns), nil)).To(BeFalse())
			Expect(reload(ctx, live).GetResourceVersion()).To(Equal(before))
		})
	}

	It("sees another manager's forced apply", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		intent := corev1ac.ConfigMap("settings", ns).WithData(map[string]string{"k": "v"})
		live := &corev1.ConfigMap{}
		Expect(one.Object(ctx, intent, live)).To(Succeed())
		Expect(applier("other").Object(ctx, corev1ac.ConfigMap("settings", ns).WithData(map[string]string{"k": "v"}), live)).To(Succeed())
		Expect(one.Unchanged(live, intent, "")).To(BeTrue(), "the same value is shared")
		Expect(applier("other").Object(ctx, corev1ac.ConfigMap("settings", ns).WithData(map[string]string{"k": "w"}), live)).To(Succeed())
		Expect(one.Unchanged(live, intent, "")).To(BeFalse())
	})

	It("lets Ensure restore cleared managedFields", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		intent := corev1ac.ConfigMap("settings", ns).WithData(map[string]string{"k": "v"})
		live := &corev1.ConfigMap{}
		Expect(one.Object(ctx, intent, live)).To(Succeed())
		edit(ctx, live, `{"metadata":{"managedFields":[{}]}}`)
		Expect(live.ManagedFields).To(BeEmpty())
		Expect(one.Ensure(ctx, live, intent, live)).To(BeTrue())
		Expect(one.Ensure(ctx, live, intent, live)).To(BeFalse())
	})

	It("compares a status on its own", func(ctx SpecContext) {
		ns := newNamespace(ctx)
		one := applier("one")
		live := newWidget(ns, "w")
		Expect(one.Object(ctx, widgetIntent(ns, "w", map[string]any{"size": int64(1)}), live)).To(Succeed())
		status := newWidget(ns, "w")
		status.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
		intent := client.ApplyConfigurationFromUnstructured(status)

		Expect(one.Unchanged(live, intent, "status")).To(BeFalse())
		Expect(one.EnsureStatus(ctx, live, intent, live)).To(BeTrue())
		Expect(one.EnsureStatus(ctx, live, intent, live)).To(BeFalse())
		Expect(one.Unchanged(live, widgetIntent(ns, "w", map[string]any{"size": int64(1)}), "")).To(BeTrue())
		Expect(managers(live)).To(ConsistOf("one", "one/status"))
	})
})
