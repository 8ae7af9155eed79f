// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"cmp"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	// anyNamespace stands for the namespace that a client adds to its request.
	anyNamespace = "default"
	// anySuffix stands for what the server adds to generateName, maxGenerateName for the
	// length that it cuts generateName to.
	anySuffix       = "00000"
	maxGenerateName = 58
	// anyVersion stands for the resourceVersion that a client adds to an update.
	anyVersion = "1"
)

// coerce brings obj into the form that rules are checked on, as the server does when it reads a
// request: unknown fields are removed and reported, nulls removed, defaults set. The metadata is
// nil if it cannot be read.
func (k *kindRules) coerce(obj content) (*metav1.ObjectMeta, field.ErrorList) {
	meta, found, unknownMeta, err := objectmeta.GetObjectMetaWithOptions(obj, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, field.ErrorList{field.TypeInvalid(metadataPath, field.OmitValueType{}, err.Error())}
	}
	if !found {
		meta = &metav1.ObjectMeta{}
	}
	unknown := pruning.PruneWithOptions(obj, k.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(obj, k.structural)
	defaulting.Default(obj, k.structural)

	var errs field.ErrorList
	for _, path := range append(unknownMeta, unknown...) {
		errs = append(errs, field.Forbidden(field.NewPath(path), "unknown field"))
	}
	return meta, errs
}

// completeMeta fills in what client and server add to the metadata of a new object.
func completeMeta(meta *metav1.ObjectMeta) {
	meta.Namespace = cmp.Or(meta.Namespace, anyNamespace)
	if meta.Name == "" && meta.GenerateName != "" {
		prefix := meta.GenerateName
		meta.Name = prefix[:min(len(prefix), maxGenerateName)] + anySuffix
	}
}

// continueMeta fills in what client and server take over from the old object in an update.
func continueMeta(meta, old *metav1.ObjectMeta) {
	meta.Namespace = cmp.Or(meta.Namespace, old.Namespace)
	meta.UID = cmp.Or(meta.UID, old.UID)
	meta.ResourceVersion = cmp.Or(meta.ResourceVersion, old.ResourceVersion, anyVersion)
	meta.Generation = old.Generation
	if !old.CreationTimestamp.IsZero() {
		meta.CreationTimestamp = old.CreationTimestamp
	}
	if old.DeletionTimestamp != nil {
		meta.DeletionTimestamp = old.DeletionTimestamp
		meta.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	}
}

func setMeta(obj content, meta *metav1.ObjectMeta) field.ErrorList {
	if err := objectmeta.SetObjectMeta(obj, meta); err != nil {
		return field.ErrorList{field.InternalError(metadataPath, err)}
	}
	return nil
}
