// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	yamlv3 "go.yaml.in/yaml/v3"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// ReadYAML reads one document of YAML or JSON. A key that stands twice, or a second document, is
// an error.
func ReadYAML(text string) (Value, error) {
	var (
		read  Value
		found int
	)
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader([]byte(text))))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Value{}, fmt.Errorf("k8s: read YAML: %w", err)
		}
		if err := ended(document); err != nil {
			return Value{}, fmt.Errorf("k8s: read YAML: %w", err)
		}
		converted, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return Value{}, fmt.Errorf("k8s: read YAML: %w", err)
		}
		var value Value
		if err := value.UnmarshalJSON(converted); err != nil {
			return Value{}, fmt.Errorf("k8s: read YAML: %w", err)
		}
		if value.IsNull() {
			continue // Nothing but comments.
		}
		read = value
		if found++; found > 1 {
			return Value{}, errors.New("k8s: read YAML: more than one document")
		}
	}
	return read, nil
}

// ended tells of what stands behind the document, which the conversion would drop.
func ended(document []byte) error {
	var node yamlv3.Node
	decoder := yamlv3.NewDecoder(bytes.NewReader(document))
	for range 2 {
		if err := decoder.Decode(&node); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
	return errors.New("more than one document")
}
