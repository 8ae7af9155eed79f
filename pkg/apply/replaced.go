// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// errReplaced is the conflict that the server reports for a deleted object only:
// a namesake it calls Invalid, which reads like a mistake in the intent.
func errReplaced(id identity) error {
	resource := schema.GroupResource{Group: id.gvk.Group, Resource: strings.ToLower(id.gvk.Kind)}
	return apierrors.NewConflict(resource, id.name, errors.New("the object was replaced by another one of that name"))
}

// replacedIf turns the server's complaint about a changed UID into errReplaced.
func replacedIf(err error, id identity, uid types.UID) error {
	var status apierrors.APIStatus
	if uid == "" || !errors.As(err, &status) {
		return err
	}
	details := status.Status().Details
	if status.Status().Reason != metav1.StatusReasonInvalid || details == nil {
		return err
	}
	for _, cause := range details.Causes {
		if cause.Field == "metadata.uid" {
			return errReplaced(id)
		}
	}
	return err
}

func isOther(answered, asked types.UID) bool {
	return asked != "" && answered != "" && answered != asked
}
