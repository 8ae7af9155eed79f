// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func validRegistration() *v1alpha1.ClusterRegistration {
	registration := &v1alpha1.ClusterRegistration{ObjectMeta: metav1.ObjectMeta{Name: "edge-1"}}
	registration.Spec.Bootstrap.KubeconfigSecretRef.Name = "edge-1-kubeconfig"
	return registration
}

func validSet() *v1alpha1.CCLComponentSet {
	set := &v1alpha1.CCLComponentSet{ObjectMeta: metav1.ObjectMeta{Name: "local-base"}}
	set.Spec.Components = []v1alpha1.Component{{
		Name: "keda", InfraPlaneRef: v1alpha1.LocalObjectReference{Name: "edge-1"}, Chart: "cluster_base/keda", Namespace: "keda",
	}}
	return set
}

// messages of the errors, in their order.
func messages(t *testing.T, err error) []string {
	t.Helper()
	var all []string
	for _, e := range fieldErrors(t, err) {
		all = append(all, e.Error())
	}
	return all
}

func TestValidateTakesTypedObjects(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Validate(validRegistration())).To(Succeed())
	g.Expect(Validate(validSet())).To(Succeed())
	g.Expect(Validate(&v1alpha1.CCLInfraPlane{ObjectMeta: metav1.ObjectMeta{Name: "edge-1"}})).To(Succeed())

	broken := validRegistration()
	broken.Spec.Bootstrap.KubeconfigSecretRef.Name = "edge-1-credentials"
	broken.Spec.Access = &v1alpha1.Access{Namespaces: []string{"tenant-a"}}
	before := broken.DeepCopy()
	g.Expect(messages(t, Validate(broken))).To(Equal([]string{
		"spec.access.namespaces: Invalid value: `namespaces` must be empty unless `binding` is 'RoleBindings'",
		"spec.bootstrap.kubeconfigSecretRef.name: Invalid value: `spec.bootstrap.kubeconfigSecretRef.name` must not be '<name>-credentials': that Secret is written by the manager",
	}))
	g.Expect(broken).To(Equal(before), "the object was changed")
}

func TestValidateGoesByTheGoType(t *testing.T) {
	g := NewWithT(t)
	registration := validRegistration()
	registration.APIVersion, registration.Kind = "v1", "Secret"
	g.Expect(Validate(registration)).To(Succeed())
}

func TestValidateTakesNumbersOfAnyGoType(t *testing.T) {
	g := NewWithT(t)
	set, err := runtime.DefaultUnstructuredConverter.ToUnstructured(validSet())
	g.Expect(err).NotTo(HaveOccurred())
	set["apiVersion"], set["kind"] = v1alpha1.SchemeGroupVersion.String(), v1alpha1.CCLComponentSetKind
	component := set["spec"].(map[string]any)["components"].([]any)[0].(map[string]any)
	component["progressDeadlineSeconds"] = 60
	g.Expect(Validate(&unstructured.Unstructured{Object: set})).To(Succeed())
	component["progressDeadlineSeconds"] = uint8(60)
	g.Expect(Validate(&unstructured.Unstructured{Object: set})).To(Succeed())
	component["progressDeadlineSeconds"] = -1
	g.Expect(messages(t, Validate(&unstructured.Unstructured{Object: set}))).To(ConsistOf(
		HavePrefix("spec.components[0].progressDeadlineSeconds: Invalid value: -1:"),
	))
}

func TestValidateRefusesOtherObjects(t *testing.T) {
	other := func(apiVersion, kind string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	}
	for name, obj := range map[string]runtime.Object{
		"nothing":         nil,
		"a nil pointer":   (*v1alpha1.CCLInfraPlane)(nil),
		"another type":    &corev1.Secret{},
		"a list":          &v1alpha1.CCLInfraPlaneList{},
		"another kind":    other("ccluster.nvidia.com/v1alpha1", "Other"),
		"another version": other("ccluster.nvidia.com/v1", "CCLInfraPlane"),
		"another group":   other("example.com/v1alpha1", "CCLInfraPlane"),
		"an empty object": &unstructured.Unstructured{},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := Validate(obj)
			g.Expect(err).To(HaveOccurred())
			var aggregate utilerrors.Aggregate
			g.Expect(errors.As(err, &aggregate)).To(BeFalse(), "%v is about fields", err)
			g.Expect(ValidateUpdate(obj, obj)).To(MatchError(err.Error()))
			g.Expect(ValidateStatusUpdate(obj, obj)).To(MatchError(err.Error()))
		})
	}
}

func TestValidateTellsWhenAKindIsNotKnown(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Validate((*v1alpha1.CCLInfraPlane)(nil))).NotTo(MatchError(ErrUnknownKind))
	for _, obj := range []runtime.Object{
		&corev1.Secret{},
		&v1alpha1.CCLInfraPlaneList{},
		&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret"}},
	} {
		g.Expect(Validate(obj)).To(MatchError(ErrUnknownKind))
	}
}

func TestValidateUpdateComparesOneKind(t *testing.T) {
	g := NewWithT(t)
	g.Expect(ValidateUpdate(validSet(), validRegistration())).To(
		MatchError("compare objects: CCLComponentSet must not be replaced by ClusterRegistration"))
	g.Expect(ValidateUpdate(validSet(), nil)).To(MatchError(ContainSubstring("the object is nil")))
}

func TestValidateReportsUnknownFieldsAndGoesOn(t *testing.T) {
	g := NewWithT(t)
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.SchemeGroupVersion.String(), "kind": v1alpha1.ClusterRegistrationKind,
		"metadata": map[string]any{"name": "edge-1", "label": "x"},
		"spec":     map[string]any{"bootstrap": map[string]any{"kubeconfigSecretRef": map[string]any{"nam": "a"}}},
		"status":   map[string]any{"phase": "Ready"},
		"extra":    true,
	}}
	g.Expect(messages(t, Validate(obj))).To(Equal([]string{
		"extra: Forbidden: unknown field",
		"metadata.label: Forbidden: unknown field",
		"spec.bootstrap.kubeconfigSecretRef.nam: Forbidden: unknown field",
		"spec.bootstrap.kubeconfigSecretRef.name: Required value",
		"status.phase: Forbidden: unknown field",
	}))
}

func TestValidateChecksMetadata(t *testing.T) {
	g := NewWithT(t)
	plane := &v1alpha1.CCLInfraPlane{}
	g.Expect(messages(t, Validate(plane))).To(Equal([]string{"metadata.name: Required value: name or generateName is required"}))

	plane.GenerateName = "edge-"
	g.Expect(Validate(plane)).To(Succeed())

	plane.Labels = map[string]string{"a": "not a label"}
	g.Expect(messages(t, Validate(plane))).To(ConsistOf(HavePrefix(`metadata.labels: Invalid value: "not a label"`)))

	malformed := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha1.SchemeGroupVersion.String(), "kind": v1alpha1.CCLInfraPlaneKind, "metadata": "x",
	}}
	g.Expect(messages(t, Validate(malformed))).To(ConsistOf(HavePrefix("metadata: Invalid value: ")))
	g.Expect(messages(t, ValidateUpdate(malformed, plane))).To(ConsistOf(HavePrefix("metadata: Invalid value: ")))
	g.Expect(messages(t, ValidateStatusUpdate(plane, malformed))).To(ConsistOf(HavePrefix("metadata: Invalid value: ")))
}

func TestValidateLeavesStatusToItsOwnRequest(t *testing.T) {
	g := NewWithT(t)
	broken := validRegistration()
	broken.Status.Conditions = []metav1.Condition{{Type: "not a type"}}
	g.Expect(Validate(broken)).To(Succeed())
	g.Expect(ValidateUpdate(validRegistration(), broken)).To(Succeed())
	g.Expect(ValidateStatusUpdate(validRegistration(), broken)).To(MatchError(ContainSubstring("status.conditions[0].type")))

	broken = validRegistration()
	broken.Spec.Bootstrap = v1alpha1.Bootstrap{}
	broken.Name = "other"
	g.Expect(ValidateStatusUpdate(validRegistration(), broken)).To(Succeed(), "it writes the status only")
}

func TestValidateUpdateFillsInWhatAClientLeavesOut(t *testing.T) {
	g := NewWithT(t)
	stored := validRegistration()
	stored.Namespace, stored.UID, stored.ResourceVersion, stored.Generation = "tenant-a", "1a2b", "7", 3
	stored.CreationTimestamp = metav1.Now()
	g.Expect(ValidateUpdate(stored, validRegistration())).To(Succeed())

	renamed := validRegistration()
	renamed.Name = "edge-2"
	g.Expect(messages(t, ValidateUpdate(stored, renamed))).To(ConsistOf(HavePrefix("metadata.name: ")))
	moved := validRegistration()
	moved.Namespace = "tenant-b"
	g.Expect(messages(t, ValidateUpdate(stored, moved))).To(ConsistOf(HavePrefix("metadata.namespace: ")))

	deleted := stored.DeepCopy()
	deleted.DeletionTimestamp, deleted.Finalizers = new(metav1.Now()), []string{"example.com/a"}
	released := validRegistration()
	g.Expect(ValidateUpdate(deleted, released)).To(Succeed())
	held := validRegistration()
	held.Finalizers = []string{"example.com/a", "example.com/b"}
	g.Expect(messages(t, ValidateUpdate(deleted, held))).To(ConsistOf(HavePrefix("metadata.finalizers: Forbidden")))
}

// TestValidateUpdateToleratesWhatStays: rules that were made stricter must not lock up stored
// objects that break them.
func TestValidateUpdateToleratesWhatStays(t *testing.T) {
	g := NewWithT(t)
	stored := validRegistration()
	stored.Spec.Access = &v1alpha1.Access{ClusterRoleName: "a/b"}
	changed := stored.DeepCopy()
	changed.Spec.Reconciliation = v1alpha1.ReconciliationSuspended
	g.Expect(Validate(changed)).NotTo(Succeed())
	g.Expect(ValidateUpdate(stored, changed)).To(Succeed())
	changed.Spec.Access.ClusterRoleName = "a/c"
	g.Expect(ValidateUpdate(stored, changed)).NotTo(Succeed())

	twice := validRegistration()
	twice.Spec.Access = &v1alpha1.Access{Binding: v1alpha1.BindingRoleBindings, Namespaces: []string{"a", "a"}}
	changed = twice.DeepCopy()
	changed.Spec.Reconciliation = v1alpha1.ReconciliationSuspended
	g.Expect(Validate(changed)).NotTo(Succeed())
	g.Expect(ValidateUpdate(twice, changed)).To(Succeed())
}

func TestValidateWithholdsAddresses(t *testing.T) {
	g := NewWithT(t)
	const secret = "hunter2"
	registration := validRegistration()
	registration.Spec.Endpoint = &v1alpha1.Endpoint{
		Server: "https://admin:" + secret + "@edge-1", ProxyURL: new("http://admin:" + secret + "@proxy"),
	}
	err := Validate(registration)
	g.Expect(messages(t, err)).To(ConsistOf(
		HavePrefix("spec.endpoint.proxyURL: Invalid value: spec.endpoint.proxyURL in body should match"),
		HavePrefix("spec.endpoint.server: Invalid value: spec.endpoint.server in body should match"),
	))
	g.Expect(err.Error()).NotTo(ContainSubstring(secret))
	for _, e := range fieldErrors(t, err) {
		g.Expect(e.BadValue).To(Equal(field.OmitValueType{}))
	}
}
