// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

func TestNewChecksItsArguments(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()

	_, err := apply.New(nil, converter(), owner)
	g.Expect(err).To(MatchError("create applier: client must not be nil"))
	_, err = apply.New(c, nil, owner)
	g.Expect(err).To(MatchError("create applier: type converter must not be nil"))
	_, err = apply.New(c, converter(), "")
	g.Expect(err).To(MatchError("create applier: owner must not be empty"))
	_, err = apply.New(c, converter(), strings.Repeat("x", 129))
	g.Expect(err).To(MatchError(ContainSubstring("128")))
	_, err = apply.New(c, converter(), "tab\there")
	g.Expect(err).To(MatchError(ContainSubstring("invalid character U+0009")))

	longest := strings.Repeat("x", 128)
	a, err := apply.New(c, converter(), longest)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(a.Owner()).To(Equal(longest))
}

func TestObjectSendsTheIntentForcedAsItsOwner(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	a := newApplier(t, c, owner)

	made := &corev1.ConfigMap{Data: map[string]string{"stale": "content of an earlier read"}}
	g.Expect(a.Object(t.Context(), configMap(map[string]string{"k": "v"}), made, client.FieldOwner("someone else"))).To(Succeed())

	g.Expect(c.applies).To(HaveLen(1))
	g.Expect(c.applies[0].options.FieldManager).To(Equal(owner))
	g.Expect(c.applies[0].options.Force).To(HaveValue(BeTrue()))
	g.Expect(made.Data).To(Equal(map[string]string{"k": "v"}))
	g.Expect(made.ResourceVersion).NotTo(BeEmpty())
	g.Expect(made.ManagedFields).To(ConsistOf(HaveField("Manager", owner)))
	g.Expect(readConfigMap(t, c).Data).To(Equal(map[string]string{"k": "v"}))
}

func TestObjectNeedsNoTarget(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	a := newApplier(t, c, owner)

	g.Expect(a.Object(t.Context(), configMap(map[string]string{"k": "1"}), nil)).To(Succeed())
	var none *corev1.ConfigMap
	g.Expect(a.Object(t.Context(), configMap(map[string]string{"k": "2"}), none)).To(Succeed())
	g.Expect(readConfigMap(t, c).Data).To(Equal(map[string]string{"k": "2"}))

	u := &unstructured.Unstructured{}
	g.Expect(a.Object(t.Context(), configMap(map[string]string{"k": "3"}), u)).To(Succeed())
	g.Expect(u.GetKind()).To(Equal("ConfigMap"))
	g.Expect(u.Object["data"]).To(Equal(map[string]any{"k": "3"}))
}

// The client decodes the answer into what it is given. If that were the caller's
// value, a second apply of it would claim the keys of everyone else.
func TestObjectLeavesTheIntentAsItWas(t *testing.T) {
	raw := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "settings", "namespace": "team"},
		"data":     map[string]any{"mine": "1"},
	}}
	for name, intent := range map[string]runtime.ApplyConfiguration{
		"typed":        configMap(map[string]string{"mine": "1"}),
		"unstructured": client.ApplyConfigurationFromUnstructured(raw),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := newRecorder()
			before, err := json.Marshal(intent)
			g.Expect(err).NotTo(HaveOccurred())

			a := newApplier(t, c, owner)
			g.Expect(newApplier(t, c, "other").Object(t.Context(), configMap(map[string]string{"theirs": "1"}), nil)).To(Succeed())
			g.Expect(a.Object(t.Context(), intent, &corev1.ConfigMap{})).To(Succeed())
			g.Expect(a.Object(t.Context(), intent, nil)).To(Succeed())

			after, err := json.Marshal(intent)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(after).To(MatchJSON(before))
			live := readConfigMap(t, c)
			g.Expect(live.Data).To(Equal(map[string]string{"mine": "1", "theirs": "1"}))
			for _, f := range live.ManagedFields {
				if f.Manager == owner {
					g.Expect(f.FieldsV1.GetRawString()).To(MatchJSON(`{"f:data":{"f:mine":{}}}`))
				}
			}
		})
	}
}

func TestObjectForcesUnlessToldOtherwise(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	foreignConfigMap(t, c, map[string]string{"k": "theirs"})
	a := newApplier(t, c, owner)

	err := a.Object(t.Context(), configMap(map[string]string{"k": "ours"}), nil, apply.Unforced)
	g.Expect(apierrors.IsConflict(err)).To(BeTrue())
	g.Expect(err).To(MatchError(HavePrefix("apply ConfigMap team/settings: ")))
	g.Expect(apply.Conflicts(err)).To(ConsistOf(apply.Conflict{Field: ".data.k", Manager: "kubectl-create"}))
	g.Expect(readConfigMap(t, c).Data).To(HaveKeyWithValue("k", "theirs"))

	g.Expect(a.Object(t.Context(), configMap(map[string]string{"k": "ours"}), nil)).To(Succeed())
	g.Expect(readConfigMap(t, c).Data).To(HaveKeyWithValue("k", "ours"))
}

func TestObjectRejectsWhatItCannotSend(t *testing.T) {
	var nothing *corev1ac.ConfigMapApplyConfiguration
	for name, test := range map[string]struct {
		intent runtime.ApplyConfiguration
		into   client.Object
		want   string
	}{
		"no intent":  {nil, nil, "decode intent: must not be nil"},
		"nil intent": {nothing, nil, "decode intent: must not be nil"},
		"no name": {
			corev1ac.ConfigMap("", "team"), nil,
			"decode intent *v1.ConfigMapApplyConfiguration: apiVersion, kind and metadata.name must be set",
		},
		"no version": {
			client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: map[string]any{
				"kind": "ConfigMap", "metadata": map[string]any{"name": "settings"},
			}}), nil,
			"decode intent *client.unstructuredApplyConfiguration: apiVersion, kind and metadata.name must be set",
		},
		"nothing to encode": {
			unencodable{},
			nil,
			"encode intent apply_test.unencodable: json: unsupported type: chan int",
		},
		"no kind": {
			client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{}), nil,
			"decode intent *client.unstructuredApplyConfiguration: Object 'Kind' is missing in 'null'",
		},
		"another kind of target": {
			configMap(nil), &corev1.Secret{},
			"apply ConfigMap team/settings: answer of kind ConfigMap does not fit into *v1.Secret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := newRecorder()
			a := newApplier(t, c, owner)
			g.Expect(a.Object(t.Context(), test.intent, test.into)).To(MatchError(test.want))
			g.Expect(a.Status(t.Context(), test.intent, test.into)).To(MatchError(test.want))
			g.Expect(c.applies).To(BeEmpty())
		})
	}
}

type unencodable struct{ C chan int }

func (unencodable) IsApplyConfiguration() {}

func TestObjectReportsAnAnswerItCannotDecode(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	c.Client = interceptor.NewClient(c.Client.(client.WithWatch), interceptor.Funcs{
		Apply: func(_ context.Context, _ client.WithWatch, obj runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
			return json.Unmarshal([]byte(`{"apiVersion":"v1","kind":"ConfigMap","data":"text"}`), obj)
		},
	})
	err := newApplier(t, c, owner).Object(t.Context(), configMap(nil), &corev1.ConfigMap{})
	g.Expect(err).To(MatchError(HavePrefix("decode ConfigMap team/settings: ")))
}

func TestObjectTakesPartialMetadata(t *testing.T) {
	g := NewWithT(t)
	made := &metav1.PartialObjectMetadata{}
	intent := configMap(nil).WithLabels(map[string]string{"k": "v"})
	g.Expect(newApplier(t, newRecorder(), owner).Object(t.Context(), intent, made)).To(Succeed())
	g.Expect(made.Labels).To(HaveKeyWithValue("k", "v"))
}

func TestObjectNeedsAKnownTarget(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	err := newApplier(t, c, owner).Object(t.Context(), configMap(nil), &unknownKind{})
	g.Expect(err).To(MatchError(HavePrefix("find kind of *apply_test.unknownKind: ")))
	g.Expect(c.applies).To(BeEmpty())
}

type unknownKind struct{ corev1.ConfigMap }

func TestStatusGoesToTheSubresource(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", UID: "uid-team", Labels: map[string]string{"keep": "me"}}})
	a := newApplier(t, c, owner)
	intent := corev1ac.Namespace("team").WithUID("uid-team").
		WithStatus(corev1ac.NamespaceStatus().WithPhase(corev1.NamespaceTerminating))

	made := &corev1.Namespace{}
	g.Expect(a.Status(t.Context(), intent, made)).To(Succeed())

	g.Expect(c.applies).To(HaveLen(1))
	g.Expect(c.applies[0].subresource).To(Equal("status"))
	g.Expect(c.applies[0].options.FieldManager).To(Equal(owner))
	g.Expect(c.applies[0].options.Force).To(HaveValue(BeTrue()))
	g.Expect(made.Status.Phase).To(Equal(corev1.NamespaceTerminating))
	g.Expect(made.Labels).To(HaveKeyWithValue("keep", "me"))
	g.Expect(intent.ResourceVersion).To(BeNil(), "the intent took over the answer")
}

func TestStatusReportsThatItReachedANamesake(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	c.Client = interceptor.NewClient(c.Client.(client.WithWatch), interceptor.Funcs{
		SubResourceApply: func(_ context.Context, _ client.Client, _ string, obj runtime.ApplyConfiguration, _ ...client.SubResourceApplyOption) error {
			return json.Unmarshal([]byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team","uid":"uid-new"}}`), obj)
		},
	})
	into := &corev1.Namespace{}
	err := newApplier(t, c, owner).Status(t.Context(), corev1ac.Namespace("team").WithUID("uid-old"), into)
	g.Expect(apierrors.IsConflict(err)).To(BeTrue())
	g.Expect(into.UID).To(BeEmpty())
	g.Expect(newApplier(t, c, owner).Status(t.Context(), corev1ac.Namespace("team"), into)).To(Succeed())
	g.Expect(into.UID).To(BeEquivalentTo("uid-new"))
}

func TestStatusReportsAnObjectThatIsGone(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	c.fail = func(context.Context, int) error {
		return apierrors.NewNotFound(corev1.Resource("namespaces"), "team")
	}
	err := newApplier(t, c, owner).Status(t.Context(), corev1ac.Namespace("team").WithStatus(corev1ac.NamespaceStatus()), nil)
	g.Expect(apierrors.IsNotFound(err)).To(BeTrue())
	g.Expect(err).To(MatchError(HavePrefix("apply status of Namespace team: ")))
}
