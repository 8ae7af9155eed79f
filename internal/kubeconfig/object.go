// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// object is one mapping of the file. Its path is made of known field names and
// list positions only, so that it can be shown. A nil node is an empty mapping.
type object struct {
	node *yaml.Node
	path string
}

// at is the path of one of the object's fields.
func (o object) at(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

// find returns the value of a field, or nil if it is absent or null. Names are
// case-sensitive, as they are to kubectl.
func (o object) find(key string) *yaml.Node {
	if o.node == nil {
		return nil
	}
	for i := 0; i+1 < len(o.node.Content); i += 2 {
		if o.node.Content[i].Value != key {
			continue
		}
		value := o.node.Content[i+1]
		if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!null" {
			return nil
		}
		return value
	}
	return nil
}

// str returns a string field, "" if absent.
func (o object) str(key string) (string, error) {
	value := o.find(key)
	if value == nil {
		return "", nil
	}
	if value.Kind == yaml.ScalarNode {
		switch value.ShortTag() {
		// YAML takes a bare date for a timestamp; kubectl keeps it a string.
		case "!!str", "!!timestamp":
			return value.Value, nil
		}
	}
	return "", reject(Malformed, o.at(key), "must be a string; put it in quotes")
}

// flag returns a boolean field, false if absent.
func (o object) flag(key string) (bool, error) {
	value := o.find(key)
	if value == nil {
		return false, nil
	}
	if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!bool" {
		switch strings.ToLower(value.Value) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	return false, reject(Malformed, o.at(key), "must be true or false, without quotes")
}

// object returns a mapping field, an empty object if absent.
func (o object) object(key string) (object, error) {
	value := o.find(key)
	if value != nil && value.Kind != yaml.MappingNode {
		return object{}, reject(Malformed, o.at(key), "must be a mapping")
	}
	return object{node: value, path: o.at(key)}, nil
}

// list returns a field that is a list of mappings, nil if absent.
func (o object) list(key string) ([]object, error) {
	value := o.find(key)
	if value == nil {
		return nil, nil
	}
	if value.Kind != yaml.SequenceNode {
		return nil, reject(Malformed, o.at(key), "must be a list")
	}
	items := make([]object, 0, len(value.Content))
	for i, item := range value.Content {
		path := o.at(key) + "[" + strconv.Itoa(i) + "]"
		if item.Kind != yaml.MappingNode {
			return nil, reject(Malformed, path, "must be a mapping")
		}
		items = append(items, object{node: item, path: path})
	}
	return items, nil
}

// isSet reports whether a field holds anything but null, "", [] or {}.
func (o object) isSet(key string) bool {
	value := o.find(key)
	return value != nil && (value.Value != "" || len(value.Content) > 0)
}
