// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// notice is an event, sent once the status that it belongs to has been written.
type notice struct {
	kind, reason, action, note string
	args                       []any
}

// Actions of events.
const (
	actionReconcile = "Reconcile"
	actionRepair    = "Repair"
	actionDelete    = "Delete"
)

const reasonRepaired = "Repaired"

// onTransition tells of a changed condition. A person has to act on what is False, except while
// it is only waiting.
func onTransition(t conditions.Transition) (notice, bool) {
	if t.To == metav1.ConditionUnknown || (t.To == metav1.ConditionTrue && !t.StatusChanged) {
		return notice{}, false
	}
	e := notice{kind: corev1.EventTypeNormal, reason: t.Reason, action: actionReconcile, note: "%s is %s: %s", args: []any{t.Type, t.To, t.Message}}
	if t.Message == "" {
		e.note, e.args = "%s is %s", []any{t.Type, t.To}
	}
	if t.To == metav1.ConditionFalse && t.Reason != v1alpha1.ReasonDraining && t.Reason != v1alpha1.ReasonPending {
		e.kind = corev1.EventTypeWarning
	}
	return e, true
}

func repaired(object string) notice {
	return notice{
		kind: corev1.EventTypeNormal, reason: reasonRepaired, action: actionRepair,
		note: "%s had been changed or deleted and is as it should be again", args: []any{object},
	}
}

func orphaned(apps string) notice {
	return notice{
		kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonWorkloadsOrphaned, action: actionDelete,
		note: "The plane was removed although Applications deploy to it; what they have deployed stays there: %s", args: []any{apps},
	}
}
