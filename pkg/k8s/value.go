// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Value is a JSON value: an object as the server made it, or a part of one. It cannot be changed.
// The zero Value is null.
//
// Its parts are read by JSON pointer (RFC 6901), such as /metadata/labels/app or
// /spec/containers/0/image; the empty pointer is the Value itself, ~1 stands for a slash in a key
// and ~0 for a tilde. Where nothing is, the error is ErrAbsent; where something of another type
// is, null included, it is a [*TypeError]: neither is ever taken for a zero value.
type Value struct{ data any }

// TypeError is a value that is of another type than was asked for.
type TypeError struct {
	// Pointer is where it is, Wanted and Found are types of JSON.
	Pointer, Wanted, Found string
}

// Error tells the pointer and both types.
func (e *TypeError) Error() string {
	return fmt.Sprintf("k8s: %q is of type %s, not %s", e.Pointer, e.Found, e.Wanted)
}

// At returns the value at the pointer.
func (v Value) At(pointer string) (Value, error) {
	// The parser takes any other tilde for itself.
	if strings.Count(pointer, "~") != strings.Count(pointer, "~0")+strings.Count(pointer, "~1") {
		return Value{}, fmt.Errorf("k8s: pointer %q: a tilde must be followed by 0 or 1", pointer)
	}
	parsed, err := jsonpointer.New(pointer)
	if err != nil {
		return Value{}, fmt.Errorf("k8s: pointer %q: %w", pointer, err)
	}
	at := v.data
	for _, token := range parsed.DecodedTokens() {
		var there bool
		switch node := at.(type) {
		case map[string]any:
			at, there = node[token]
		case []any:
			var i int
			if i, there = index(token, len(node)); there {
				at = node[i]
			}
		}
		if !there {
			return Value{}, fmt.Errorf("k8s: %q: %w", pointer, ErrAbsent)
		}
	}
	return Value{data: at}, nil
}

// index reads an array index: digits without a leading zero.
func index(token string, length int) (int, bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0 && i < length && strconv.Itoa(i) == token
}

// Has tells whether anything, if only null, is at the pointer.
func (v Value) Has(pointer string) bool {
	_, err := v.At(pointer)
	return err == nil
}

// IsNull tells whether the value is null.
func (v Value) IsNull() bool { return v.data == nil }

// StringAt returns the string at the pointer.
func (v Value) StringAt(pointer string) (string, error) { return at[string](v, pointer, "string") }

// BoolAt returns the boolean at the pointer.
func (v Value) BoolAt(pointer string) (bool, error) { return at[bool](v, pointer, "boolean") }

// IntAt returns the number at the pointer, which must be whole and fit.
func (v Value) IntAt(pointer string) (int64, error) {
	found, err := v.At(pointer)
	if err != nil {
		return 0, err
	}
	switch n := found.data.(type) {
	case int64:
		return n, nil
	case float64:
		// A float64 of -1<<63 or 1<<63 may have been rounded to it from one that does not fit.
		if n == math.Trunc(n) && n > -1<<63 && n < 1<<63 {
			return int64(n), nil
		}
	}
	return 0, &TypeError{Pointer: pointer, Wanted: "integer", Found: found.kind()}
}

// FloatAt returns the number at the pointer.
func (v Value) FloatAt(pointer string) (float64, error) {
	found, err := v.At(pointer)
	if err != nil {
		return 0, err
	}
	switch n := found.data.(type) {
	case int64:
		return float64(n), nil
	case float64:
		return n, nil
	}
	return 0, &TypeError{Pointer: pointer, Wanted: "number", Found: found.kind()}
}

// ListAt returns the items of the array at the pointer.
func (v Value) ListAt(pointer string) ([]Value, error) {
	items, err := at[[]any](v, pointer, "array")
	if err != nil {
		return nil, err
	}
	values := make([]Value, len(items))
	for i, item := range items {
		values[i] = Value{data: item}
	}
	return values, nil
}

// MapAt returns the fields of the object at the pointer.
func (v Value) MapAt(pointer string) (map[string]Value, error) {
	fields, err := at[map[string]any](v, pointer, "object")
	if err != nil {
		return nil, err
	}
	values := make(map[string]Value, len(fields))
	for key, field := range fields {
		values[key] = Value{data: field}
	}
	return values, nil
}

// at returns what is at the pointer, as a T.
func at[T any](v Value, pointer, wanted string) (T, error) {
	var zero T
	found, err := v.At(pointer)
	if err != nil {
		return zero, err
	}
	typed, ok := found.data.(T)
	if !ok {
		return zero, &TypeError{Pointer: pointer, Wanted: wanted, Found: found.kind()}
	}
	return typed, nil
}

func (v Value) kind() string {
	switch v.data.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// Interface returns a copy as encoding/json would have it, but with int64 for whole numbers.
func (v Value) Interface() any { return runtime.DeepCopyJSONValue(v.data) }

// MarshalJSON renders the value as JSON.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.data) }

// UnmarshalJSON reads JSON.
func (v *Value) UnmarshalJSON(text []byte) error {
	var data any
	if err := utiljson.Unmarshal(text, &data); err != nil {
		return err
	}
	v.data = data
	return nil
}

// String is the value as JSON.
func (v Value) String() string {
	text, err := v.MarshalJSON()
	if err != nil {
		return fmt.Sprintf("%%!v(%v)", err)
	}
	return string(text)
}
