// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

func TestRedactKeepsPathsOnly(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"one":      {typed.ValidationErrors{{Path: ".data.k", ErrorMessage: "got hunter2"}}, "does not match the schema at .data.k"},
		"the root": {typed.ValidationErrors{{ErrorMessage: "got hunter2"}}, "does not match the schema at ."},
		"many": {
			fmt.Errorf("wrapped: %w", typed.ValidationErrors{
				{Path: ".a", ErrorMessage: "hunter2"},
				{Path: ".b", ErrorMessage: "hunter2"},
				{Path: ".c", ErrorMessage: "hunter2"},
				{Path: ".d", ErrorMessage: "hunter2"},
			}), "does not match the schema at .a, .b, .c, …",
		},
		"a type":       {typed.ValidationErrors{{ErrorMessage: "schema error: no type found matching: X"}}, "schema error: no type found matching: X"},
		"another kind": {errors.New("not registered"), "not registered"},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(redact(test.err)).To(MatchError(test.want))
		})
	}
}
