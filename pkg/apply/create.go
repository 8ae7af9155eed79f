// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// withdrawTimeout bounds the clean-up request, which outlives its caller's context.
const withdrawTimeout = 10 * time.Second

// Create applies an object that the caller just saw to be absent, and accepts
// the result only if nobody else has a hand in it. The object as the server made
// it is decoded into into, if into is not nil.
//
// Someone else may have been faster. Then the error is an *ErrForeign, into is
// left alone, and the object keeps what its makers gave it: either nothing was
// written (a field conflict, which ErrForeign then wraps), or what was added is
// withdrawn at once. If withdrawing fails, its error is joined to the ErrForeign.
//
// An object that only this Applier's owner manages is accepted, so a Create whose
// answer got lost can be repeated, as long as no other controller has completed
// the object since. Entries for subresources do not count. The API server does: it
// records itself on the objects it makes, never on those of others. The intent
// must name no UID or resourceVersion.
func (a Applier) Create(ctx context.Context, intent runtime.ApplyConfiguration, into client.Object) error {
	sent, err := decode(intent)
	if err != nil {
		return err
	}
	if sent.GetUID() != "" || sent.GetResourceVersion() != "" {
		return fmt.Errorf("create %s: intent must not set uid or resourceVersion", sent.id)
	}
	if err := a.checkTarget(sent, into); err != nil {
		return err
	}
	err = a.client.Apply(ctx, sent.configuration(), Unforced, client.FieldOwner(a.owner))
	if conflicts := Conflicts(err); len(conflicts) > 0 {
		managers := make([]string, 0, len(conflicts))
		for _, c := range conflicts {
			managers = append(managers, c.Manager)
		}
		return newErrForeign(sent.id, managers, err)
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", sent.id, err)
	}
	if len(sent.GetManagedFields()) == 0 {
		return fmt.Errorf("create %s: answer: %w", sent.id, ErrNoManagedFields)
	}
	if foreign := foreignManagers(sent.GetManagedFields(), a.owner); len(foreign) > 0 {
		return errors.Join(newErrForeign(sent.id, foreign, nil), a.withdraw(ctx, sent.id, sent.GetUID()))
	}
	return sent.answer(into)
}

// withdraw gives up every field this Applier owns in exactly that object.
func (a Applier) withdraw(ctx context.Context, id identity, uid types.UID) error {
	if uid == "" {
		// Without it a deleted object would be made anew, empty.
		return fmt.Errorf("withdraw from %s: answer carries no uid", id)
	}
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(id.gvk)
	empty.SetNamespace(id.namespace)
	empty.SetName(id.name)
	empty.SetUID(uid)
	// The caller giving up must not leave our fields in someone else's object.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTimeout)
	defer cancel()
	err := a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(empty), Unforced, client.FieldOwner(a.owner))
	// An intent without fields cannot collide: a conflict is about the UID, so
	// the object is gone, and our fields with it.
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("withdraw from %s: %w", id, err)
	}
	return nil
}
