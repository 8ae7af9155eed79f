// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Applier applies intents as one field manager. It holds no state between
// calls, may be copied, and is safe for concurrent use if its client is. The
// zero value is not usable; see New.
type Applier struct {
	client    client.Client
	converter managedfields.TypeConverter
	owner     string
}

// New returns an Applier that writes through c as field manager owner.
//
// The converter must know every kind that is compared with Unchanged, Ensure or
// EnsureStatus: the NewTypeConverter function generated beside the apply
// configurations, or several of them joined by ChainConverters.
//
// The owner string is API: fields applied under one name are not released by
// applying under another. It must be printable and have 1 to 128 characters.
func New(c client.Client, converter managedfields.TypeConverter, owner string) (Applier, error) {
	if c == nil {
		return Applier{}, errors.New("create applier: client must not be nil")
	}
	if converter == nil {
		return Applier{}, errors.New("create applier: type converter must not be nil")
	}
	if owner == "" {
		return Applier{}, errors.New("create applier: owner must not be empty")
	}
	if errs := validation.ValidateFieldManager(owner, field.NewPath("owner")); len(errs) > 0 {
		return Applier{}, fmt.Errorf("create applier: %w", errs.ToAggregate())
	}
	return Applier{client: c, converter: converter, owner: owner}, nil
}

// Owner returns the field manager this Applier writes as.
func (a Applier) Owner() string { return a.owner }

// Object applies the intent to the main resource, creating the object if it is
// absent. By default it takes over fields that other managers hold; pass
// Unforced to get a conflict error instead (see Conflicts). The field manager is
// always the Applier's own, whatever opts say.
//
// The object as the server made it is decoded into into, if into is not nil.
//
// To write to an object that must already exist, set its UID in the intent:
// without one a deleted object comes back, or a namesake is written. With one the
// error satisfies apierrors.IsConflict in both cases, and nothing is written.
func (a Applier) Object(ctx context.Context, intent runtime.ApplyConfiguration, into client.Object, opts ...client.ApplyOption) error {
	sent, err := decode(intent)
	if err != nil {
		return err
	}
	return a.object(ctx, sent, into, opts...)
}

// Status applies the intent to the status subresource, forced. An intent for it
// holds the name, the namespace, the status, and should hold the UID.
//
// The error for an object that is gone satisfies apierrors.IsNotFound. If a
// namesake with another UID is there, it satisfies apierrors.IsConflict. For a
// custom resource the namesake then has been written all the same, because the
// server takes no notice of the UID on that path: its own next pass sets it right.
//
// The object as the server made it is decoded into into, if into is not nil.
func (a Applier) Status(ctx context.Context, intent runtime.ApplyConfiguration, into client.Object) error {
	sent, err := decode(intent)
	if err != nil {
		return err
	}
	return a.status(ctx, sent, into)
}

// object sends what it is given, which then holds the server's answer.
func (a Applier) object(ctx context.Context, sent *intention, into client.Object, opts ...client.ApplyOption) error {
	if err := a.checkTarget(sent, into); err != nil {
		return err
	}
	all := append([]client.ApplyOption{client.ForceOwnership}, opts...)
	// Last, so that no option can make this Applier write as someone else.
	all = append(all, client.FieldOwner(a.owner))
	uid := sent.GetUID()
	if err := a.client.Apply(ctx, sent.configuration(), all...); err != nil {
		return fmt.Errorf("apply %s: %w", sent.id, replacedIf(err, sent.id, uid))
	}
	return sent.answer(into)
}

func (a Applier) status(ctx context.Context, sent *intention, into client.Object) error {
	if err := a.checkTarget(sent, into); err != nil {
		return err
	}
	uid := sent.GetUID()
	err := a.client.SubResource(statusSubresource).Apply(ctx, sent.configuration(), client.ForceOwnership, client.FieldOwner(a.owner))
	if err == nil && isOther(sent.GetUID(), uid) {
		err = errReplaced(sent.id)
	}
	if err != nil {
		return fmt.Errorf("apply status of %s: %w", sent.id, replacedIf(err, sent.id, uid))
	}
	return sent.answer(into)
}

const statusSubresource = "status"

// Unforced makes Object fail with a conflict, instead of taking over, where
// another manager holds a field with a different value.
var Unforced client.ApplyOption = unforced{}

type unforced struct{}

func (unforced) ApplyToApply(o *client.ApplyOptions) { o.Force = new(false) }
