// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Ensure applies the intent, forced, unless live shows that nothing would change
// (see Unchanged), and reports whether it wrote. Pass nil for live if the object
// is absent; if it must not have appeared since, use Create instead.
//
// Where live is given and the intent names no UID, live's UID is sent: if the
// object was deleted or replaced meanwhile, nothing is written, and the error
// satisfies apierrors.IsConflict. Live without managedFields is always written.
//
// into, if not nil, then holds the object: the server's answer, or a copy of live.
// It may be the same pointer as live.
func (a Applier) Ensure(ctx context.Context, live client.Object, intent runtime.ApplyConfiguration, into client.Object) (bool, error) {
	return a.ensure(live, intent, into, "", func(sent *intention) error {
		return a.object(ctx, sent, into)
	})
}

// EnsureStatus is Ensure for the status subresource, with the errors of Status.
// A nil live is an error, since there is no status without an object.
func (a Applier) EnsureStatus(ctx context.Context, live client.Object, intent runtime.ApplyConfiguration, into client.Object) (bool, error) {
	if isNil(live) {
		return false, errors.New("apply status: live object must not be nil")
	}
	return a.ensure(live, intent, into, statusSubresource, func(sent *intention) error {
		return a.status(ctx, sent, into)
	})
}

func (a Applier) ensure(live client.Object, intent runtime.ApplyConfiguration, into client.Object, subresource string, write func(*intention) error) (bool, error) {
	sent, err := decode(intent)
	if err != nil {
		return false, err
	}
	if !isNil(live) {
		same, err := a.unchanged(live, sent, subresource)
		// Without managedFields nothing can be compared, but applying restores them.
		if err != nil && !errors.Is(err, ErrNoManagedFields) {
			return false, err
		}
		if same {
			return false, a.copyLive(sent, live, into)
		}
		if sent.GetUID() == "" && live.GetUID() != "" {
			sent.SetUID(live.GetUID())
		}
	}
	if err := write(sent); err != nil {
		return false, err
	}
	return true, nil
}

func (a Applier) copyLive(sent *intention, live, into client.Object) error {
	if isNil(into) || into == live {
		return nil
	}
	if err := a.checkTarget(sent, into); err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
	if err != nil {
		return fmt.Errorf("copy %s: %w", sent.id, err)
	}
	// A typed read may lack these, an answer never does.
	content["apiVersion"], content["kind"] = sent.id.gvk.GroupVersion().String(), sent.id.gvk.Kind
	if err := decodeInto(content, into); err != nil {
		return fmt.Errorf("copy %s: %w", sent.id, err)
	}
	return nil
}
