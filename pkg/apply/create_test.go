// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

func TestCreateMakesTheObject(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	a := newApplier(t, c, owner)

	made := &corev1.ConfigMap{}
	g.Expect(a.Create(t.Context(), configMap(map[string]string{"k": "v"}), made)).To(Succeed())
	g.Expect(made.Data).To(Equal(map[string]string{"k": "v"}))
	g.Expect(c.applies).To(HaveLen(1))
	g.Expect(c.applies[0].options.Force).To(HaveValue(BeFalse()))
	g.Expect(c.applies[0].options.FieldManager).To(Equal(owner))

	g.Expect(a.Create(t.Context(), configMap(map[string]string{"k": "v"}), made)).To(Succeed(), "its answer may have got lost")
}

func TestCreateWithdrawsFromAForeignObject(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	before := foreignConfigMap(t, c, map[string]string{"theirs": "1", "same": "1"})
	a := newApplier(t, c, owner)

	into := &corev1.ConfigMap{}
	err := a.Create(t.Context(), configMap(map[string]string{"ours": "1", "same": "1"}), into)

	var foreign *apply.ErrForeign
	g.Expect(errors.As(err, &foreign)).To(BeTrue())
	g.Expect(foreign).To(HaveValue(Equal(apply.ErrForeign{
		Kind: "ConfigMap", Namespace: "team", Name: "settings", Managers: []string{"kubectl-create"},
	})))
	g.Expect(err).To(MatchError("ConfigMap team/settings already exists and is managed by kubectl-create"))
	g.Expect(into.Name).To(BeEmpty())

	after := readConfigMap(t, c)
	g.Expect(after.Data).To(Equal(before.Data))
	g.Expect(after.ManagedFields).To(ConsistOf(HaveField("Manager", "kubectl-create")))
	g.Expect(c.applies).To(HaveLen(2))
}

func TestCreateReportsAFieldConflictAsForeign(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	foreignConfigMap(t, c, map[string]string{"k": "theirs"})

	err := newApplier(t, c, owner).Create(t.Context(), configMap(map[string]string{"k": "ours"}), nil)

	var foreign *apply.ErrForeign
	g.Expect(errors.As(err, &foreign)).To(BeTrue())
	g.Expect(foreign.Managers).To(Equal([]string{"kubectl-create"}))
	g.Expect(apierrors.IsConflict(err)).To(BeTrue())
	g.Expect(apply.Conflicts(err)).To(HaveLen(1))
	g.Expect(err).To(MatchError("ConfigMap team/settings already exists and is managed by kubectl-create"))
	g.Expect(readConfigMap(t, c).Data).To(Equal(map[string]string{"k": "theirs"}))
	g.Expect(c.applies).To(HaveLen(1), "nothing was written, so nothing is withdrawn")
}

func TestCreateWithdrawsAfterItsCallerGaveUp(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	foreignConfigMap(t, c, map[string]string{"theirs": "1"})
	ctx, cancel := context.WithCancel(t.Context())
	c.fail = func(ctx context.Context, n int) error {
		if n == 2 {
			cancel()
		}
		_, bounded := ctx.Deadline()
		g.Expect(bounded).To(Equal(n == 2))
		return ctx.Err()
	}
	var foreign *apply.ErrForeign
	err := newApplier(t, c, owner).Create(ctx, configMap(map[string]string{"ours": "1"}), nil)
	g.Expect(errors.As(err, &foreign)).To(BeTrue())
	g.Expect(readConfigMap(t, c).Data).To(Equal(map[string]string{"theirs": "1"}))
}

func TestCreateReportsWhatItCouldNotWithdraw(t *testing.T) {
	for name, test := range map[string]struct {
		answer error
		want   string
	}{
		"forbidden": {
			apierrors.NewForbidden(corev1.Resource("configmaps"), "settings", errors.New("denied")),
			"ConfigMap team/settings already exists and is managed by kubectl-create\n" +
				`withdraw from ConfigMap team/settings: configmaps "settings" is forbidden: denied`,
		},
		"deleted meanwhile": {
			apierrors.NewNotFound(corev1.Resource("configmaps"), "settings"),
			"ConfigMap team/settings already exists and is managed by kubectl-create",
		},
		"replaced meanwhile": {
			apierrors.NewConflict(corev1.Resource("configmaps"), "settings", errors.New("uid mismatch")),
			"ConfigMap team/settings already exists and is managed by kubectl-create",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := newRecorder()
			foreignConfigMap(t, c, map[string]string{"theirs": "1"})
			c.fail = func(_ context.Context, n int) error {
				if n == 2 {
					return test.answer
				}
				return nil
			}
			err := newApplier(t, c, owner).Create(t.Context(), configMap(map[string]string{"ours": "1"}), nil)
			var foreign *apply.ErrForeign
			g.Expect(errors.As(err, &foreign)).To(BeTrue())
			g.Expect(err).To(MatchError(test.want))
		})
	}
}

func TestCreateErrors(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	a := newApplier(t, c, owner)

	g.Expect(a.Create(t.Context(), nil, nil)).To(MatchError("decode intent: must not be nil"))
	g.Expect(a.Create(t.Context(), configMap(nil).WithUID("u"), nil)).
		To(MatchError("create ConfigMap team/settings: intent must not set uid or resourceVersion"))
	g.Expect(a.Create(t.Context(), configMap(nil).WithResourceVersion("1"), nil)).
		To(MatchError("create ConfigMap team/settings: intent must not set uid or resourceVersion"))
	g.Expect(a.Create(t.Context(), corev1ac.ConfigMap("settings", "team"), &corev1.Secret{})).
		To(MatchError("apply ConfigMap team/settings: answer of kind ConfigMap does not fit into *v1.Secret"))
	g.Expect(c.applies).To(BeEmpty())

	c.fail = func(context.Context, int) error {
		return apierrors.NewConflict(corev1.Resource("configmaps"), "settings", errors.New("being deleted"))
	}
	err := a.Create(t.Context(), configMap(nil), nil)
	var foreign *apply.ErrForeign
	g.Expect(errors.As(err, &foreign)).To(BeFalse(), "not a conflict about fields")
	g.Expect(apierrors.IsConflict(err)).To(BeTrue())
	g.Expect(err).To(MatchError(HavePrefix("create ConfigMap team/settings: ")))

	stripping := fake.NewClientBuilder().WithTypeConverters(converter()).Build()
	g.Expect(newApplier(t, stripping, owner).Create(t.Context(), configMap(map[string]string{"k": "v"}), nil)).
		To(MatchError(apply.ErrNoManagedFields))
}

func TestCreateNeedsAUIDToWithdraw(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	g.Expect(newApplier(t, c, "other").Object(t.Context(), configMap(map[string]string{"theirs": "1"}), nil)).To(Succeed())
	err := newApplier(t, c, owner).Create(t.Context(), configMap(map[string]string{"ours": "1"}), nil)
	g.Expect(err).To(MatchError("ConfigMap team/settings already exists and is managed by other\n" +
		"withdraw from ConfigMap team/settings: answer carries no uid"))
}
