// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// redact keeps the paths of schema violations and drops their texts: those quote
// the offending value, which may be a key of a Secret. Other errors name types.
func redact(err error) error {
	var violations typed.ValidationErrors
	if !errors.As(err, &violations) || unknownType(violations) {
		return err
	}
	const most = 3
	paths := make([]string, 0, most+1)
	for _, v := range violations {
		if len(paths) == most {
			paths = append(paths, "…")
			break
		}
		path := v.Path
		if path == "" {
			path = "."
		}
		paths = append(paths, path)
	}
	return fmt.Errorf("does not match the schema at %s", strings.Join(paths, ", "))
}

// unknownType tells a schema without the type from a value that violates it; the
// schema package has no error type of its own for that.
func unknownType(violations typed.ValidationErrors) bool {
	return len(violations) == 1 && violations[0].Path == "" &&
		strings.HasPrefix(violations[0].ErrorMessage, "schema error: no type found matching")
}
