// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
)

// ErrUnknownKind is in the error for an object of a kind, group or version that this library has
// no rules for.
var ErrUnknownKind = errors.New("no kind of ccluster.nvidia.com/v1alpha1")

// Validate checks an object that is to be created, without a server, by the same rules that the
// API server applies: the embedded CRD schemas with their defaults, no unknown fields, the CEL
// rules, and object metadata. It takes a typed or unstructured object of the three kinds and
// does not change it. In addition it bounds the values of each component to [MaxValuesBytes].
//
// A missing namespace is not an error, since a client supplies it, and `metadata.generateName`
// stands for a name as on the server. As on the server, the content of `status` is not looked
// at, except that it must have no unknown fields.
//
// The error for an object that breaks rules is a [k8s.io/apimachinery/pkg/util/errors.Aggregate]
// of [k8s.io/apimachinery/pkg/util/validation/field.Error], one for each broken rule, in the
// order of their fields. Rules in CEL are checked, as on the server, only when all types, sizes
// and choices are right. Any other error means that obj cannot be encoded, or, with
// [ErrUnknownKind], that it is of no kind that is known here.
func Validate(obj runtime.Object) error {
	k, content, err := decode(obj)
	if err != nil {
		return err
	}
	return k.create(context.Background(), content).ToAggregate()
}

// ValidateUpdate checks newObj as the replacement of oldObj: all that [Validate] checks, and the
// rules about what must not change. A field that breaks a rule but is the same in both objects
// is tolerated where the API server tolerates it. UID and resource version may be missing.
func ValidateUpdate(oldObj, newObj runtime.Object) error {
	k, oldContent, newContent, err := decodeBoth(oldObj, newObj)
	if err != nil {
		return err
	}
	return k.update(context.Background(), oldContent, newContent).ToAggregate()
}

// ValidateStatusUpdate checks the status of newObj as the replacement of that of oldObj. All
// other content is taken from oldObj, as a write to the status subresource does.
func ValidateStatusUpdate(oldObj, newObj runtime.Object) error {
	k, oldContent, newContent, err := decodeBoth(oldObj, newObj)
	if err != nil {
		return err
	}
	return k.statusUpdate(context.Background(), oldContent, newContent).ToAggregate()
}
