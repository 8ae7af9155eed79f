// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// MaxValuesBytes is the size in bytes that the values of one component may have as compact JSON.
// A CRD schema cannot bound free-form JSON, so that no API server knows this limit.
const MaxValuesBytes = 64 << 10

// valuesTooLarge reports the components of a CCLComponentSet whose values are over the limit.
// What is no CCLComponentSet, or malformed, is left to other rules.
func valuesTooLarge(obj content) field.ErrorList {
	if obj["kind"] != v1alpha1.CCLComponentSetKind {
		return nil
	}
	components, _, _ := unstructured.NestedFieldNoCopy(obj, "spec", "components")
	list, _ := components.([]any)
	var errs field.ErrorList
	for i, item := range list {
		component, _ := item.(map[string]any)
		values, ok := component["values"]
		if !ok {
			continue
		}
		path := field.NewPath("spec", "components").Index(i).Child("values")
		size, err := compactSize(values)
		switch {
		case err != nil:
			errs = append(errs, field.InternalError(path, err))
		case size > MaxValuesBytes:
			errs = append(errs, field.TooLong(path, "", MaxValuesBytes))
		}
	}
	return errs
}

// compactSize is the number of bytes of value as JSON without blanks, and without the escapes
// for HTML that encoding/json adds.
func compactSize(value any) (int, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return 0, fmt.Errorf("encode values: %w", err)
	}
	return buffer.Len() - len("\n"), nil
}
