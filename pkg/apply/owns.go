// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Owns tells whether this Applier was the last to decide every one of the given
// fields of live, each a path of field names such as {"data", "config"}. A field
// that somebody else has changed since is theirs. Live must carry managedFields.
func (a Applier) Owns(live client.Object, fields ...[]string) (bool, error) {
	if len(live.GetManagedFields()) == 0 {
		return false, ErrNoManagedFields
	}
	entry := a.entry(live.GetManagedFields(), "")
	if entry == nil || entry.FieldsV1 == nil {
		return false, nil
	}
	owned := &fieldpath.Set{}
	if err := owned.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return false, fmt.Errorf("read managed fields of %s: %w", client.ObjectKeyFromObject(live), err)
	}
	for _, field := range fields {
		path := make([]any, len(field))
		for i, name := range field {
			path[i] = name
		}
		if !owned.Has(fieldpath.MakePathOrDie(path...)) {
			return false, nil
		}
	}
	return true, nil
}
