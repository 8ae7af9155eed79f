// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// ErrNoManagedFields is returned by Unchanged for an object without
// managedFields: either the cache strips them, or someone cleared them.
var ErrNoManagedFields = errors.New("object carries no managedFields")

// Unchanged reports whether applying the intent over live would change nothing:
// the fields that managedFields gives to this Applier, for the main resource
// (subresource "") or for "status", have exactly the intent's paths and values.
// What other managers own does not count, nor does the order of lists that are
// sets or maps. In the intent, apiVersion, kind, name, namespace, uid and
// resourceVersion are ignored.
//
// It is an error if live is another object than the intent's or was read in
// another version, if the type converter does not know the kind, or if live
// carries no managedFields (ErrNoManagedFields). No error shows a field's value.
func (a Applier) Unchanged(live client.Object, intent runtime.ApplyConfiguration, subresource string) (bool, error) {
	want, err := decode(intent)
	if err != nil {
		return false, err
	}
	return a.unchanged(live, want, subresource)
}

func (a Applier) unchanged(live client.Object, want *intention, subresource string) (bool, error) {
	if isNil(live) {
		return false, fmt.Errorf("compare %s: live object must not be nil", want.id)
	}
	if err := a.sameObject(live, want.id); err != nil {
		return false, err
	}
	if len(live.GetManagedFields()) == 0 {
		return false, fmt.Errorf("compare %s: %w", want.id, ErrNoManagedFields)
	}
	owned := &fieldpath.Set{}
	if entry := a.entry(live.GetManagedFields(), subresource); entry != nil {
		if entry.APIVersion != want.GetAPIVersion() {
			// Paths of another version cannot be compared; applying moves them.
			return false, nil
		}
		if entry.FieldsV1 != nil {
			if err := owned.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
				return false, fmt.Errorf("decode managedFields of %s: %w", want.id, err)
			}
		}
	}
	desired, err := a.typedIntent(want)
	if err != nil {
		return false, fmt.Errorf("compare intent for %s: %w", want.id, redact(err))
	}
	current, err := a.typedLive(live, want.id)
	if err != nil {
		return false, fmt.Errorf("compare live %s: %w", want.id, redact(err))
	}
	applied := current.ExtractItems(owned.Leaves())
	diff, err := applied.Compare(desired)
	if err != nil {
		return false, fmt.Errorf("compare %s: %w", want.id, redact(err))
	}
	return diff.IsSame() || onlyDroppedZeros(diff, applied, desired, owned), nil
}

// sameObject guards against comparing two different objects, which would always
// answer "changed".
func (a Applier) sameObject(live client.Object, id identity) error {
	gvk, err := a.client.GroupVersionKindFor(live)
	if err != nil {
		return fmt.Errorf("find kind of %T: %w", live, err)
	}
	if gvk != id.gvk {
		return fmt.Errorf("compare %s: live object is %s, intent is %s", id, gvk, id.gvk)
	}
	// An intent without namespace is one for a client that fills it in.
	if live.GetName() != id.name || (id.namespace != "" && live.GetNamespace() != id.namespace) {
		return fmt.Errorf("compare %s: live object is %s", id,
			identity{gvk: gvk, namespace: live.GetNamespace(), name: live.GetName()})
	}
	return nil
}

// entry finds this Applier's own record; there is at most one per subresource.
func (a Applier) entry(fields []metav1.ManagedFieldsEntry, subresource string) *metav1.ManagedFieldsEntry {
	for i := range fields {
		f := &fields[i]
		if f.Manager == a.owner && f.Operation == metav1.ManagedFieldsOperationApply && f.Subresource == subresource {
			return f
		}
	}
	return nil
}

// unowned lists the metadata fields that the API server never records in
// managedFields, whoever applies them.
var unowned = []string{
	"name", "namespace", "uid", "resourceVersion", "generation",
	"creationTimestamp", "managedFields", "selfLink",
}

// typedIntent is the intent without the fields that nobody can own.
func (a Applier) typedIntent(want *intention) (*typed.TypedValue, error) {
	bare := &unstructured.Unstructured{Object: maps.Clone(want.Object)}
	if metadata, ok := want.Object["metadata"].(map[string]any); ok {
		kept := maps.Clone(metadata)
		for _, key := range unowned {
			delete(kept, key)
		}
		bare.Object["metadata"] = kept
		if len(kept) == 0 {
			delete(bare.Object, "metadata")
		}
	}
	value, err := a.converter.ObjectToTyped(bare)
	if err != nil {
		return nil, err
	}
	// Only now: converters find the type by these two.
	return value.RemoveItems(fieldpath.NewSet(fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"))), nil
}

func (a Applier) typedLive(live client.Object, id identity) (*typed.TypedValue, error) {
	// Typed reads may come without apiVersion and kind, which converters need.
	if live.GetObjectKind().GroupVersionKind() != id.gvk {
		live = live.DeepCopyObject().(client.Object)
		live.GetObjectKind().SetGroupVersionKind(id.gvk)
	}
	// Duplicates that another manager put into a set are not ours to refuse.
	return a.converter.ObjectToTyped(live, typed.AllowDuplicates)
}
