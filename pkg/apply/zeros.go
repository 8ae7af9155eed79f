// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"reflect"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// onlyDroppedZeros reports whether the intent differs from what is applied only
// by zero values that are ours but do not show in the object: Go types with
// omitempty do not write `paused: false` or `labels: {}` back. That we still own
// the path is the proof: whoever removes or changes a value takes the ownership.
func onlyDroppedZeros(diff *typed.Comparison, applied, desired *typed.TypedValue, owned *fieldpath.Set) bool {
	if !diff.Removed.Empty() {
		return false
	}
	have, want := applied.AsValue().Unstructured(), desired.AsValue().Unstructured()
	all := true
	// A parent appears in the comparison beside its children; these decide. Not
	// All: that iterator panics if the loop ends early (v6.4.2).
	diff.Added.Union(diff.Modified).Leaves().Iterate(func(path fieldpath.Path) {
		wanted, found := lookup(want, path)
		present, _ := lookup(have, path)
		all = all && found && isZero(wanted) && present == nil && owned.Has(path)
	})
	return all
}

// lookup walks unstructured content along fields and list-map keys.
func lookup(content any, path fieldpath.Path) (any, bool) {
	for _, element := range path {
		var found bool
		switch {
		case element.FieldName != nil:
			fields, ok := content.(map[string]any)
			if !ok {
				return nil, false
			}
			content, found = fields[*element.FieldName]
		case element.Key != nil:
			content, found = lookupItem(content, *element.Key)
		}
		if !found {
			return nil, false
		}
	}
	return content, true
}

func lookupItem(list any, key value.FieldList) (any, bool) {
	items, ok := list.([]any)
	if !ok {
		return nil, false
	}
	for _, item := range items {
		fields, ok := item.(map[string]any)
		if ok && hasKey(fields, key) {
			return item, true
		}
	}
	return nil, false
}

func hasKey(fields map[string]any, key value.FieldList) bool {
	for _, k := range key {
		v, ok := fields[k.Name]
		if !ok || !value.Equals(value.NewValueInterface(v), k.Value) {
			return false
		}
	}
	return true
}

// isZero is true for null, "", false, 0, and empty lists and maps.
func isZero(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Map, reflect.Slice:
		return r.Len() == 0
	default:
		return r.IsZero()
	}
}
