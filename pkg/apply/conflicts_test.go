// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

func TestConflictsListsFieldsAndManagers(t *testing.T) {
	g := NewWithT(t)
	cause := func(field, message string) metav1.StatusCause {
		return metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict, Field: field, Message: message}
	}
	err := fmt.Errorf("apply: %w", apierrors.NewApplyConflict([]metav1.StatusCause{
		cause(".data.a", `conflict with "kubectl-edit" using v1 at 2026-01-02T03:04:05Z`),
		cause(".data.b", `conflict with "says \"hi\""`),
		cause(".status.x", `conflict with "controller" with subresource "status" using v1`),
		cause(".data.c", "some other text"),
		{Type: metav1.CauseTypeUnexpectedServerResponse, Message: "unrelated"},
	}, "Apply failed"))

	g.Expect(apply.Conflicts(err)).To(Equal([]apply.Conflict{
		{Field: ".data.a", Manager: "kubectl-edit"},
		{Field: ".data.b", Manager: `says "hi"`},
		{Field: ".status.x", Manager: "controller"},
		{Field: ".data.c", Manager: "some other text"},
	}))
}

func TestConflictsIsNilForOtherErrors(t *testing.T) {
	for name, err := range map[string]error{
		"no error":      nil,
		"a plain error": errors.New("conflict with \"x\""),
		"not found":     apierrors.NewNotFound(corev1.Resource("secrets"), "s"),
		"a UID":         apierrors.NewConflict(corev1.Resource("secrets"), "s", errors.New("uid mismatch")),
		"no details":    &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonConflict}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(apply.Conflicts(err)).To(BeNil())
		})
	}
}
