// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	maxBytes = 1 << 20
	// A real file nests about ten levels; extensions may add some.
	maxDepth = 32
	// Each collection and each of its values costs at least one of these
	// characters, so their count bounds the parser's memory before it runs.
	maxIndicators = 1 << 16
	// The parser compares each tag directive with all earlier ones.
	maxTagDirectives = 8
)

var lineNumber = regexp.MustCompile(`\bline (\d{1,7})\b`)

// readDocument parses the only document of the file and returns its top
// mapping, free of aliases and duplicate keys.
func readDocument(data []byte) (object, error) {
	if len(data) > maxBytes {
		return object{}, reject(TooLarge, "", "is over 1 MiB; store only the entries that one context needs")
	}
	text, err := decodeText(data)
	if err != nil {
		return object{}, err
	}
	if indicators(text) > maxIndicators || bytes.Count(text, []byte("%TAG")) > maxTagDirectives {
		return object{}, reject(TooComplex, "", "holds too many values; store only the entries that one context needs")
	}
	node, err := parseYAML(text)
	if err != nil || node.Kind != yaml.MappingNode {
		if hint := wrongFile(text); hint != "" {
			return object{}, reject(NotAKubeconfig, "", hint)
		}
	}
	if err != nil {
		return object{}, err
	}
	if node.Kind != yaml.MappingNode {
		return object{}, reject(NotAKubeconfig, "", "is not a mapping with clusters, users and contexts; store the text of one kubeconfig file")
	}
	if err := checkTree(node, 1); err != nil {
		return object{}, err
	}
	root := object{node: node}
	return root, checkKind(root)
}

// decodeText strips a byte order mark and returns the file as UTF-8. Windows
// shells write UTF-16 when output is redirected, and kubectl reads it.
func decodeText(data []byte) ([]byte, error) {
	text := data
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		text = data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		text = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		text = fromUTF16(data[2:], binary.BigEndian)
	}
	if !utf8.Valid(text) {
		return nil, reject(Malformed, "", "is not UTF-8 text; store the file as it is, not compressed or encrypted")
	}
	for _, b := range text {
		if (b < 0x20 && b != '\t' && b != '\n' && b != '\r') || b == 0x7F {
			return nil, reject(Malformed, "", "holds control characters; store the file as plain text")
		}
	}
	return text, nil
}

// fromUTF16 returns invalid UTF-8 when the input has half a character.
func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	if len(data)%2 != 0 {
		return []byte{0xFF}
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// indicators counts the characters without which YAML and JSON cannot start
// another value or comment.
func indicators(text []byte) int {
	n := 0
	for i, b := range text {
		switch b {
		case ',', '[', '{', ':', '#':
			n++
		case '-', '?':
			if i+1 == len(text) || bytes.IndexByte([]byte(" \t\r\n"), text[i+1]) >= 0 {
				n++
			}
		}
	}
	return n
}

// parseYAML returns the content of the only document. The tree still has its
// aliases: nothing is expanded.
func parseYAML(text []byte) (node *yaml.Node, err error) {
	defer func() {
		// The parser is the one piece of code here that is not ours and that
		// sees hostile bytes. What it panicked with may hold some of them.
		if recover() != nil {
			node, err = nil, reject(Malformed, "", "is not valid YAML or JSON")
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, next yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, reject(NotAKubeconfig, "", "is empty")
	case err != nil:
		return nil, malformed(err)
	}
	switch err := decoder.Decode(&next); {
	case err == nil:
		return nil, reject(MultipleDocuments, "", "holds more than one YAML document; keep the one to use and remove every later `---`")
	case !errors.Is(err, io.EOF):
		return nil, malformed(err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, reject(NotAKubeconfig, "", "is empty")
	}
	return document.Content[0], nil
}

// malformed takes nothing but a line number from the parser's error, which
// quotes the input.
func malformed(err error) *Rejection {
	text := "is not valid YAML or JSON"
	if match := lineNumber.FindStringSubmatch(err.Error()); match != nil {
		text += "; look near line " + match[1]
	}
	return reject(Malformed, "", text)
}

// checkTree refuses what makes a small file mean something large or ambiguous.
func checkTree(node *yaml.Node, depth int) error {
	line := strconv.Itoa(node.Line)
	switch {
	case depth > maxDepth:
		return reject(TooComplex, "", "nests deeper than "+strconv.Itoa(maxDepth)+" levels at line "+line)
	case node.Kind == yaml.AliasNode:
		return reject(AliasNotAllowed, "", "uses a YAML alias at line "+line+"; write the value out")
	case node.Kind == yaml.MappingNode:
		if err := checkKeys(node); err != nil {
			return err
		}
	}
	for _, child := range node.Content {
		if err := checkTree(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func checkKeys(mapping *yaml.Node) error {
	seen := make(map[string]struct{}, len(mapping.Content)/2)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		line := strconv.Itoa(key.Line)
		if key.ShortTag() == "!!merge" {
			return reject(AliasNotAllowed, "", "uses a YAML merge key at line "+line+"; write the values out")
		}
		if key.Kind == yaml.AliasNode {
			return reject(AliasNotAllowed, "", "uses a YAML alias at line "+line+"; write the value out")
		}
		if key.Kind != yaml.ScalarNode {
			return reject(Malformed, "", "has a key that is not a string at line "+line)
		}
		if _, ok := seen[key.Value]; ok {
			return reject(DuplicateKey, "", "repeats a key at line "+line+"; keep one of the two")
		}
		seen[key.Value] = struct{}{}
	}
	return nil
}

// checkKind tells a kubeconfig from other mappings. Like kubectl it does not
// insist on kind and apiVersion.
func checkKind(root object) error {
	kind, err := root.str("kind")
	if err != nil {
		return err
	}
	version, err := root.str("apiVersion")
	if err != nil {
		return err
	}
	switch {
	case kind == "Secret":
		return reject(NotAKubeconfig, "kind", "says that this is the manifest of a Secret; store the decoded value that it holds")
	case kind != "" && kind != "Config":
		return reject(NotAKubeconfig, "kind", "must be Config")
	case version != "" && version != "v1":
		return reject(NotAKubeconfig, "apiVersion", "must be v1")
	case kind == "" && root.find("clusters") == nil && root.find("users") == nil && root.find("contexts") == nil:
		return reject(NotAKubeconfig, "", "has no clusters, users or contexts; store the text of one kubeconfig file")
	}
	return nil
}
