// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"maps"
	"slices"
)

// flags are command line flags without dashes. A flag with several values is
// passed several times, one with none is left out.
type flags map[string][]string

// override replaces whole flags.
func (f flags) override(by map[string][]string) flags {
	merged := maps.Clone(f)
	maps.Copy(merged, by)
	return merged
}

// args renders the flags in the order of their names.
func (f flags) args() []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		for _, value := range f[name] {
			args = append(args, "--"+name+"="+value)
		}
	}
	return args
}
