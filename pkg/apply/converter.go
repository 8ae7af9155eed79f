// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// ChainConverters joins type converters, so that one Applier can serve kinds
// from several generators: an object is converted by the first converter that
// knows its type. Nil converters are left out; with none left the result is nil.
//
// A deduced converter knows every type and treats every list as one value, so it
// hides all that follow it.
func ChainConverters(converters ...managedfields.TypeConverter) managedfields.TypeConverter {
	var chain converterChain
	for _, c := range converters {
		if c != nil {
			chain = append(chain, c)
		}
	}
	if len(chain) == 0 {
		return nil
	}
	return chain
}

type converterChain []managedfields.TypeConverter

func (c converterChain) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	var errs []error
	for _, converter := range c {
		value, err := converter.ObjectToTyped(obj, opts...)
		if err == nil {
			return value, nil
		}
		// One that knows the type and refuses the value is the one to listen to.
		if violations := typed.ValidationErrors(nil); errors.As(err, &violations) && !unknownType(violations) {
			return nil, err
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func (c converterChain) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	var errs []error
	for _, converter := range c {
		obj, err := converter.TypedToObject(value)
		if err == nil {
			return obj, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
