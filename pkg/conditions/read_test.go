// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditions_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

func TestReaders(t *testing.T) {
	g := NewWithT(t)
	list := []metav1.Condition{
		live("A", metav1.ConditionTrue, "Fine", "", 1),
		live("B", metav1.ConditionFalse, "Broken", "", 2),
		live("C", metav1.ConditionUnknown, "Pending", "", 3),
		live("A", metav1.ConditionFalse, "Twice", "", 2),
	}
	g.Expect(conditions.Find(list, "A")).To(HaveValue(Equal(list[0])))
	g.Expect(conditions.Find(list, "X")).To(BeNil())
	g.Expect(conditions.Find(nil, "A")).To(BeNil())
	conditions.Find(list, "B").Reason = "changed"
	g.Expect(list[1].Reason).To(Equal("Broken"), "Find gives a copy")

	g.Expect(conditions.IsTrue(list, "A")).To(BeTrue())
	g.Expect(conditions.IsTrue(list, "B")).To(BeFalse())
	g.Expect(conditions.IsTrue(list, "C")).To(BeFalse())
	g.Expect(conditions.IsTrue(list, "X")).To(BeFalse())

	g.Expect(conditions.Current(list, 2)).To(Equal([]metav1.Condition{list[1], list[2], list[3]}))
	g.Expect(conditions.Current(list, 4)).To(BeEmpty())
}
