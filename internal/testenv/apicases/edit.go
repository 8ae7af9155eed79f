// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"strings"
)

// edit changes an object.
type edit func(Object)

// anyKey is the key that {} stands for in a path.
const anyKey = "k"

// set puts value at a schema path; [] is item 0 and {} is anyKey. Missing parents are made.
func set(path string, value any) edit {
	return func(o Object) { put(o, steps(path), value) }
}

// unset removes what is at a schema path.
func unset(path string) edit {
	return func(o Object) {
		walk := steps(path)
		var at any = o
		for _, step := range walk[:len(walk)-1] {
			at = get(at, step)
		}
		parent, ok := at.(map[string]any)
		if !ok {
			panic(fmt.Sprintf("%s has no parent", path))
		}
		delete(parent, walk[len(walk)-1])
	}
}

// fieldOf is the name of a schema path in a server's message.
func fieldOf(path string) string {
	return strings.NewReplacer("[]", "[0]", "{}", "."+anyKey).Replace(path)
}

const firstItem = "[]"

func steps(path string) []string {
	return strings.Split(strings.NewReplacer("[]", "."+firstItem, "{}", "."+anyKey).Replace(path), ".")
}

func get(at any, step string) any {
	if step == firstItem {
		return at.([]any)[0]
	}
	return at.(map[string]any)[step]
}

func put(at any, walk []string, value any) any {
	if len(walk) == 0 {
		return value
	}
	if walk[0] == firstItem {
		list, _ := at.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = put(list[0], walk[1:], value)
		return list
	}
	object, ok := at.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[walk[0]] = put(object[walk[0]], walk[1:], value)
	return object
}
