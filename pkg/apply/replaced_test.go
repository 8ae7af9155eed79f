// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestReplacedIf(t *testing.T) {
	g := NewWithT(t)
	kind := schema.GroupKind{Group: "example.com", Kind: "Widget"}
	id := identity{gvk: kind.WithVersion("v1"), namespace: "team", name: "w"}
	uid := apierrors.NewInvalid(kind, "w", field.ErrorList{
		field.Invalid(field.NewPath("spec", "size"), 0, "must be positive"),
		field.Invalid(field.NewPath("metadata", "uid"), "u", "field is immutable"),
	})
	size := apierrors.NewInvalid(kind, "w", field.ErrorList{field.Invalid(field.NewPath("spec", "size"), 0, "must be positive")})
	plain := errors.New("plain")
	bare := &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonInvalid}}

	got := replacedIf(uid, id, "u")
	g.Expect(apierrors.IsConflict(got)).To(BeTrue())
	g.Expect(got).To(MatchError(`Operation cannot be fulfilled on widget.example.com "w": the object was replaced by another one of that name`))
	g.Expect(Conflicts(got)).To(BeNil())

	g.Expect(replacedIf(uid, id, "")).To(BeIdenticalTo(uid), "no UID was asked for")
	g.Expect(replacedIf(size, id, "u")).To(BeIdenticalTo(size))
	g.Expect(replacedIf(plain, id, "u")).To(BeIdenticalTo(plain))
	g.Expect(replacedIf(bare, id, "u")).To(BeIdenticalTo(bare))
}

func TestIsOther(t *testing.T) {
	g := NewWithT(t)
	g.Expect(isOther("a", "b")).To(BeTrue())
	g.Expect(isOther("a", "a")).To(BeFalse())
	g.Expect(isOther("", "a")).To(BeFalse())
	g.Expect(isOther("a", "")).To(BeFalse())
}
