// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

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
	actionIssue     = "IssueToken"
	actionDelete    = "Delete"
)

// Reasons of events that are not a condition's.
const (
	reasonRepaired         = "Repaired"
	reasonTokenStored      = "TokenStored"
	reasonReleased         = "Released"
	reasonBootstrapRemoved = "BootstrapRemoved"
)

// onTransition tells of changed conditions. A person has to act on what is False,
// except while it is only waiting.
func onTransition(t conditions.Transition) (notice, bool) {
	if t.Type == v1alpha1.ConditionReady && !t.StatusChanged {
		// The condition that it summarises tells.
		return notice{}, false
	}
	if t.Reason == v1alpha1.ReasonNotRequested {
		// Nothing has happened.
		return notice{}, false
	}
	if t.To == metav1.ConditionUnknown || (t.To == metav1.ConditionTrue && t.Type != v1alpha1.ConditionReady && !t.StatusChanged) {
		return notice{}, false
	}
	e := notice{kind: corev1.EventTypeNormal, reason: t.Reason, action: actionReconcile, note: "%s is %s: %s", args: []any{t.Type, t.To, t.Message}}
	if t.Message == "" {
		e.note, e.args = "%s is %s", []any{t.Type, t.To}
	}
	if t.To == metav1.ConditionFalse && !expected(t.Reason) {
		e.kind = corev1.EventTypeWarning
	}
	return e, true
}

// expected tells reasons that end without anybody doing anything.
func expected(reason string) bool {
	switch reason {
	case v1alpha1.ReasonPending, v1alpha1.ReasonTokenPending, v1alpha1.ReasonSuspended,
		v1alpha1.ReasonDeleting, v1alpha1.ReasonDraining, v1alpha1.ReasonNotReported,
		// Giving up has an event of its own.
		v1alpha1.ReasonRevocationUnproven:
		return true
	}
	return false
}

func repaired(object string) notice {
	return notice{
		kind: corev1.EventTypeNormal, reason: reasonRepaired, action: actionRepair,
		note: "%s had been changed or deleted and is as it should be again", args: []any{object},
	}
}

func tokenStored(kind v1alpha1.TokenType) notice {
	return notice{
		kind: corev1.EventTypeNormal, reason: reasonTokenStored, action: actionIssue,
		note: "A new %s token was accepted by the infra plane and stored", args: []any{string(kind)},
	}
}

func released(note string, args ...any) notice {
	return notice{kind: corev1.EventTypeNormal, reason: reasonReleased, action: actionDelete, note: note, args: args}
}

func leftBehind(objects string) notice {
	return notice{
		kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonRevocationIncomplete, action: actionDelete,
		note: "The infra plane could not be cleaned up in time; left there: %s", args: []any{objects},
	}
}

func bootstrapRemoved(secret string) notice {
	return notice{
		kind: corev1.EventTypeNormal, reason: reasonBootstrapRemoved, action: actionDelete,
		note: "Secret %s was deleted, as `spec.bootstrap.afterRegistration` asks: the registration's own token is proven", args: []any{secret},
	}
}

func unproven() notice {
	return notice{
		kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonRevocationUnproven, action: actionDelete,
		note: "The infra plane was cleaned up, but could not be seen to refuse the token in time: check that it does",
	}
}
