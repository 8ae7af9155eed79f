// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

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
