// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Conflict is one field that another manager holds with a different value.
type Conflict struct {
	// Field is the path of the field, such as `.data.key`.
	Field string
	// Manager is the name of the manager that holds it.
	Manager string
}

// Conflicts lists what an unforced apply collided with, in the server's order.
// It is nil for every other error, including a conflict about the UID or the
// resource version, and for nil.
func Conflicts(err error) []Conflict {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Reason != metav1.StatusReasonConflict || status.Status().Details == nil {
		return nil
	}
	var conflicts []Conflict
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			conflicts = append(conflicts, Conflict{Field: cause.Field, Manager: conflictManager(cause.Message)})
		}
	}
	return conflicts
}

// conflictManager takes the name out of `conflict with "name" using v1 at …`,
// the only place where the server gives it.
func conflictManager(message string) string {
	rest := strings.TrimPrefix(message, "conflict with ")
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return rest
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return rest
	}
	return name
}
