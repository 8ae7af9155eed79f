// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// managed is one entry of an object's managedFields.
func managed(manager, subresource, apiVersion, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, Subresource: subresource,
		APIVersion: apiVersion, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
}

func secret(fields ...metav1.ManagedFieldsEntry) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "credentials", Namespace: "team", UID: "uid-1", ResourceVersion: "7",
			Labels:        map[string]string{"ours": "yes", "theirs": "yes"},
			Finalizers:    []string{"theirs.example.com/a", "ours.example.com/b", "ours.example.com/a"},
			ManagedFields: fields,
		},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{"token": []byte("abc"), "extra": []byte("xyz")},
	}
}

const secretFields = `{
	"f:metadata": {
		"f:labels": {"f:ours": {}},
		"f:finalizers": {"v:\"ours.example.com/a\"": {}, "v:\"ours.example.com/b\"": {}}
	},
	"f:data": {"f:token": {}}
}`

func secretIntent() *corev1ac.SecretApplyConfiguration {
	return corev1ac.Secret("credentials", "team").
		WithLabels(map[string]string{"ours": "yes"}).
		WithFinalizers("ours.example.com/a", "ours.example.com/b").
		WithData(map[string][]byte{"token": []byte("abc")})
}

func TestUnchangedComparesWhatIsOwned(t *testing.T) {
	ours := managed(owner, "", "v1", secretFields)
	for name, test := range map[string]struct {
		live   *corev1.Secret
		intent *corev1ac.SecretApplyConfiguration
		want   bool
	}{
		"same":                     {secret(ours), secretIntent(), true},
		"identity is ignored":      {secret(ours), secretIntent().WithUID("uid-2").WithResourceVersion("1"), true},
		"other value":              {secret(ours), secretIntent().WithData(map[string][]byte{"token": []byte("new")}), false},
		"one field more":           {secret(ours), secretIntent().WithType(corev1.SecretTypeOpaque), false},
		"one set member more":      {secret(ours), secretIntent().WithFinalizers("ours.example.com/c"), false},
		"one field less":           {secret(ours), corev1ac.Secret("credentials", "team").WithData(map[string][]byte{"token": []byte("abc")}), false},
		"nothing wanted any more":  {secret(ours), corev1ac.Secret("credentials", "team"), false},
		"other manager's fields":   {secret(managed("other", "", "v1", secretFields)), secretIntent(), false},
		"other subresource's":      {secret(managed(owner, "status", "v1", secretFields)), secretIntent(), false},
		"another version's fields": {secret(managed(owner, "", "v1beta1", secretFields)), secretIntent(), false},
		"nothing owned or wanted":  {secret(managed("other", "", "v1", secretFields)), corev1ac.Secret("credentials", "team"), true},
		"owned, gone from live":    {secret(managed(owner, "", "v1", `{"f:data":{"f:token":{},"f:lost":{}}}`)), secretIntent(), false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			a := newApplier(t, newRecorder(), owner)
			before := test.live.DeepCopy()
			same, err := a.Unchanged(test.live, test.intent, "")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(same).To(Equal(test.want))
			g.Expect(test.live).To(Equal(before))
		})
	}
}

func TestUnchangedIgnoresAnUpdateOfTheSameName(t *testing.T) {
	g := NewWithT(t)
	entry := managed(owner, "", "v1", secretFields)
	entry.Operation = metav1.ManagedFieldsOperationUpdate
	same, err := newApplier(t, newRecorder(), owner).Unchanged(secret(entry), secretIntent(), "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(same).To(BeFalse(), "fields owned through Update are not given up by Apply")
}

func TestUnchangedTakesAnUnstructuredLiveObject(t *testing.T) {
	g := NewWithT(t)
	data, err := json.Marshal(secret(managed(owner, "", "v1", secretFields)))
	g.Expect(err).NotTo(HaveOccurred())
	live := &unstructured.Unstructured{Object: map[string]any{}}
	g.Expect(json.Unmarshal(data, &live.Object)).To(Succeed())
	live.SetAPIVersion("v1")
	live.SetKind("Secret")

	a := newApplier(t, newRecorder(), owner)
	g.Expect(a.Unchanged(live, secretIntent(), "")).To(BeTrue())
	g.Expect(a.Unchanged(live, secretIntent().WithLabels(map[string]string{"new": "yes"}), "")).To(BeFalse())
}

func TestUnchangedLooksAtTheSubresource(t *testing.T) {
	g := NewWithT(t)
	live := &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "team", ManagedFields: []metav1.ManagedFieldsEntry{
			managed(owner, "status", "v1", `{"f:status":{"f:conditions":{
				"k:{\"type\":\"B\"}":{".":{},"f:type":{},"f:status":{}},
				"k:{\"type\":\"A\"}":{".":{},"f:type":{},"f:status":{}}}}}`),
		}},
		Status: corev1.NamespaceStatus{Conditions: []corev1.NamespaceCondition{
			{Type: "B", Status: "True"}, {Type: "Theirs", Status: "False"}, {Type: "A", Status: "False"},
		}},
	}
	condition := func(t, s string) *corev1ac.NamespaceConditionApplyConfiguration {
		return corev1ac.NamespaceCondition().WithType(corev1.NamespaceConditionType(t)).WithStatus(corev1.ConditionStatus(s))
	}
	intent := func(conditions ...*corev1ac.NamespaceConditionApplyConfiguration) *corev1ac.NamespaceApplyConfiguration {
		return corev1ac.Namespace("team").WithStatus(corev1ac.NamespaceStatus().WithConditions(conditions...))
	}
	a := newApplier(t, newRecorder(), owner)

	g.Expect(a.Unchanged(live, intent(condition("A", "False"), condition("B", "True")), "status")).To(BeTrue(), "a list-map has no order")
	g.Expect(a.Unchanged(live, intent(condition("A", "True"), condition("B", "True")), "status")).To(BeFalse())
	g.Expect(a.Unchanged(live, intent(condition("A", "False")), "status")).To(BeFalse())
	g.Expect(a.Unchanged(live, intent(condition("A", "False"), condition("B", "True")), "")).To(BeFalse())
}

func deployment(fields string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "team", ManagedFields: []metav1.ManagedFieldsEntry{managed(owner, "", "apps/v1", fields)}},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"theirs": "yes"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "sidecar"}, {Name: "main", Command: []string{"a", "b"}}}},
			},
		},
	}
}

func TestUnchangedComparesAtomicListsInOrder(t *testing.T) {
	g := NewWithT(t)
	live := deployment(`{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:name":{},"f:command":{}}}}}}}`)
	intent := func(command ...string) *appsv1ac.DeploymentApplyConfiguration {
		return appsv1ac.Deployment("web", "team").WithSpec(appsv1ac.DeploymentSpec().
			WithTemplate(corev1ac.PodTemplateSpec().WithSpec(corev1ac.PodSpec().
				WithContainers(corev1ac.Container().WithName("main").WithCommand(command...)))))
	}
	a := newApplier(t, newRecorder(), owner)
	g.Expect(a.Unchanged(live, intent("a", "b"), "")).To(BeTrue())
	g.Expect(a.Unchanged(live, intent("b", "a"), "")).To(BeFalse())
}

// Go types with omitempty do not give back a false, 0 or {} that was applied.
func TestUnchangedAcceptsZeroValuesThatDoNotShow(t *testing.T) {
	paused := func(v bool) *appsv1ac.DeploymentApplyConfiguration {
		return appsv1ac.Deployment("web", "team").WithSpec(appsv1ac.DeploymentSpec().WithPaused(v))
	}
	container := func(tty bool) *appsv1ac.DeploymentApplyConfiguration {
		return appsv1ac.Deployment("web", "team").WithSpec(appsv1ac.DeploymentSpec().
			WithTemplate(corev1ac.PodTemplateSpec().WithSpec(corev1ac.PodSpec().
				WithContainers(corev1ac.Container().WithName("main").WithTTY(tty)))))
	}
	raw := func(spec map[string]any) runtime.ApplyConfiguration {
		return client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": "team"}, "spec": spec,
		}})
	}
	labels := func(labels map[string]any) runtime.ApplyConfiguration {
		return raw(map[string]any{"template": map[string]any{"metadata": map[string]any{"labels": labels}}})
	}
	const ttyFields = `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:name":{},"f:tty":{}}}}}}}`
	const labelFields = `{"f:spec":{"f:template":{"f:metadata":{"f:labels":{}}}}}`

	for name, test := range map[string]struct {
		fields string
		intent runtime.ApplyConfiguration
		want   bool
	}{
		"owned false":                     {`{"f:spec":{"f:paused":{}}}`, paused(false), true},
		"owned false, true wanted":        {`{"f:spec":{"f:paused":{}}}`, paused(true), false},
		"unowned false":                   {`{"f:spec":{"f:replicas":{}}}`, paused(false), false},
		"owned false in a list-map":       {ttyFields, container(false), true},
		"true wanted in a list-map":       {ttyFields, container(true), false},
		"unowned false in a list-map":     {`{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:name":{}}}}}}}`, container(false), false},
		"owned false in an unknown entry": {`{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"new\"}":{".":{},"f:name":{},"f:tty":{}}}}}}}`, container(false), false},
		// The map itself is ours as an empty one; its content is someone else's.
		"owned empty map":               {labelFields, labels(map[string]any{}), true},
		"owned empty map, entry wanted": {labelFields, labels(map[string]any{"theirs": "yes"}), false},
		"unowned empty map":             {`{"f:spec":{"f:replicas":{}}}`, labels(map[string]any{}), false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			same, err := newApplier(t, newRecorder(), owner).Unchanged(deployment(test.fields), test.intent, "")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(same).To(Equal(test.want))
		})
	}
}

func TestUnchangedErrors(t *testing.T) {
	ours := managed(owner, "", "v1", secretFields)
	var nothing *corev1.Secret
	for name, test := range map[string]struct {
		live   client.Object
		intent runtime.ApplyConfiguration
		want   string
	}{
		"no intent":        {secret(ours), nil, "decode intent: must not be nil"},
		"an unknown type":  {&unknownKind{}, secretIntent(), "find kind of *apply_test.unknownKind: "},
		"no live object":   {nothing, secretIntent(), "compare Secret team/credentials: live object must not be nil"},
		"no managedFields": {secret(), secretIntent(), "compare Secret team/credentials: object carries no managedFields"},
		"another kind": {
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "credentials", Namespace: "team"}}, secretIntent(),
			"compare Secret team/credentials: live object is /v1, Kind=ConfigMap, intent is /v1, Kind=Secret",
		},
		"another object": {
			secret(ours), corev1ac.Secret("credentials", "other-team"),
			"compare Secret other-team/credentials: live object is Secret team/credentials",
		},
		"broken managedFields": {
			secret(managed(owner, "", "v1", `["f:data"]`)), secretIntent(),
			"decode managedFields of Secret team/credentials: ",
		},
		"an intent outside of the schema": {
			secret(ours), client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "credentials", "namespace": "team"},
				"data": map[string]any{"token": map[string]any{"hunter2": "hunter2"}},
			}}),
			"compare intent for Secret team/credentials: does not match the schema at .data.token",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := newApplier(t, newRecorder(), owner).Unchanged(test.live, test.intent, "")
			g.Expect(err).To(MatchError(HavePrefix(test.want)))
			g.Expect(err).NotTo(MatchError(ContainSubstring("hunter2")))
		})
	}

	g := NewWithT(t)
	_, err := newApplier(t, newRecorder(), owner).Unchanged(secret(), secretIntent(), "")
	g.Expect(err).To(MatchError(apply.ErrNoManagedFields))
}

// Typed reads come without apiVersion and kind; intents may leave the namespace
// to a namespaced client; a wildcard order of metadata fields must not matter.
func TestUnchangedWithoutNamespaceInTheIntent(t *testing.T) {
	g := NewWithT(t)
	intent := secretIntent()
	intent.Namespace = nil
	intent.OwnerReferences = nil
	live := secret(managed(owner, "", "v1", secretFields))
	g.Expect(newApplier(t, newRecorder(), owner).Unchanged(live, intent, "")).To(BeTrue())
	intent.WithOwnerReferences(metav1ac.OwnerReference().WithUID("uid-9").WithName("x").WithKind("X").WithAPIVersion("v1"))
	g.Expect(newApplier(t, newRecorder(), owner).Unchanged(live, intent, "")).To(BeFalse())
}
