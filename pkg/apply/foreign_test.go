// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestErrForeignNamesObjectAndManagers(t *testing.T) {
	g := NewWithT(t)
	id := identity{gvk: schema.GroupVersionKind{Version: "v1", Kind: "ClusterRole"}, name: "reader"}
	managers := []string{"z", "a", "z"}
	cause := errors.New("conflict")

	err := newErrForeign(id, managers, cause)
	g.Expect(err).To(MatchError("ClusterRole reader already exists and is managed by a, z"))
	g.Expect(err.Managers).To(Equal([]string{"a", "z"}))
	g.Expect(errors.Is(err, cause)).To(BeTrue())
	g.Expect(managers).To(Equal([]string{"z", "a", "z"}))
}

func TestForeignManagers(t *testing.T) {
	g := NewWithT(t)
	fields := []metav1.ManagedFieldsEntry{
		{Manager: "us", Operation: metav1.ManagedFieldsOperationApply},
		{Manager: "us", Operation: metav1.ManagedFieldsOperationUpdate},
		{Manager: "controller", Subresource: "status"},
		{Manager: "them"},
	}
	g.Expect(foreignManagers(fields, "us")).To(Equal([]string{"them"}))
	g.Expect(foreignManagers(fields[:3], "us")).To(BeEmpty())
}
