// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

var (
	metadataPath = field.NewPath("metadata")
	statusPath   = field.NewPath("status")
)

// create follows the API server through a create request.
func (k *kindRules) create(ctx context.Context, obj content) field.ErrorList {
	meta, errs := k.coerce(obj)
	if meta == nil {
		return tidy(errs)
	}
	delete(obj, "status")
	completeMeta(meta)
	errs = append(errs, setMeta(obj, meta)...)

	errs = append(errs, metavalidation.ValidateObjectMeta(meta, true, metavalidation.NameIsDNSSubdomain, metadataPath)...)
	errs = append(errs, validation.ValidateCustomResource(nil, obj, k.whole)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, obj)...)
	errs = append(errs, k.runCEL(ctx, errs, obj, nil)...)
	errs = append(errs, valuesTooLarge(obj)...)
	return tidy(errs)
}

// update follows the API server through an update request. oldObj is taken as valid.
func (k *kindRules) update(ctx context.Context, oldObj, obj content) field.ErrorList {
	oldMeta, oldErrs := k.coerce(oldObj)
	if oldMeta == nil {
		return tidy(oldErrs)
	}
	meta, errs := k.coerce(obj)
	if meta == nil {
		return tidy(errs)
	}
	delete(obj, "status")
	if status, ok := oldObj["status"]; ok {
		obj["status"] = status
	}
	completeMeta(oldMeta)
	continueMeta(meta, oldMeta)
	errs = append(errs, setMeta(oldObj, oldMeta)...)
	errs = append(errs, setMeta(obj, meta)...)

	correlation := k.correlate(oldObj, obj)
	errs = append(errs, metavalidation.ValidateObjectMetaUpdate(meta, oldMeta, metadataPath)...)
	errs = append(errs, validation.ValidateCustomResourceUpdate(nil, obj, oldObj, k.whole, validation.WithRatcheting(correlation))...)
	errs = append(errs, k.brokenLists(oldObj, obj)...)
	errs = append(errs, k.runCEL(ctx, errs, obj, oldObj, cel.WithRatcheting(correlation))...)
	errs = append(errs, valuesTooLarge(obj)...)
	return tidy(errs)
}

// statusUpdate follows the API server through an update request to the status subresource.
func (k *kindRules) statusUpdate(ctx context.Context, oldObj, obj content) field.ErrorList {
	oldMeta, oldErrs := k.coerce(oldObj)
	if oldMeta == nil {
		return tidy(oldErrs)
	}
	meta, errs := k.coerce(obj)
	if meta == nil {
		return tidy(errs)
	}
	completeMeta(oldMeta)
	errs = append(errs, setMeta(oldObj, oldMeta)...)
	status, has := obj["status"]
	obj = maps.Clone(oldObj)
	delete(obj, "status")
	if has {
		obj["status"] = status
	}

	correlation := k.correlate(oldObj, obj)
	if has {
		errs = append(errs, validation.ValidateCustomResourceUpdate(statusPath, status, oldObj["status"], k.status,
			validation.WithRatcheting(correlation.Key("status")))...)
	}
	errs = append(errs, k.brokenLists(oldObj, obj)...)
	errs = append(errs, k.runCEL(ctx, errs, obj, oldObj, cel.WithRatcheting(correlation))...)
	return tidy(errs)
}

// brokenLists reports duplicates in sets and maps, unless the old object has some already.
func (k *kindRules) brokenLists(oldObj, obj content) field.ErrorList {
	if len(listtype.ValidateListSetsAndMaps(nil, k.structural, oldObj)) > 0 {
		return nil
	}
	return listtype.ValidateListSetsAndMaps(nil, k.structural, obj)
}

// runCEL runs the CEL rules. They are written for objects that have the right types and bounded
// sizes, so that none is run, as on the server, when the errors found before show otherwise.
// oldObj is nil for a new object.
func (k *kindRules) runCEL(ctx context.Context, before field.ErrorList, obj, oldObj any, opts ...cel.Option) field.ErrorList {
	if k.cel == nil || slices.ContainsFunc(before, blocksCEL) {
		return nil
	}
	errs, _ := k.cel.Validate(ctx, nil, k.structural, obj, oldObj, celconfig.RuntimeCELCostBudget, opts...)
	return errs
}

func blocksCEL(err *field.Error) bool {
	switch err.Type {
	case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
		field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
		return true
	default:
		return false
	}
}

func (k *kindRules) correlate(oldObj, obj content) *common.CorrelatedObject {
	return common.NewCorrelatedObject(obj, oldObj, &model.Structural{Structural: k.structural})
}

// tidy makes the list the same in every run, and withholds what must not be printed.
func tidy(errs field.ErrorList) field.ErrorList {
	for _, err := range errs {
		if withheld.Has(err.Field) {
			err.BadValue = field.OmitValueType{}
		}
	}
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.ErrorBody(), b.ErrorBody()))
	})
	return errs
}
