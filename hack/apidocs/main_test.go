// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Message, type: string, priority: 1, jsonPath: .status.message}
    schema:
      openAPIV3Schema:
        description: Widget is a thing.
        type: object
        properties:
          spec:
            description: spec is wanted.
            type: object
            required: [parts]
            x-kubernetes-validations: [{rule: self.a != self.b, message: must differ}]
            properties:
              mode:
                description: "mode of the widget,\nfast | slow."
                type: string
                enum: [Fast, Slow]
                default: Fast
              size: {type: integer, format: int32, minimum: 1, maximum: 9}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              labels: {type: object, maxProperties: 3, additionalProperties: {type: string}}
              parts:
                type: array
                minItems: 1
                items:
                  description: Part of it.
                  type: object
                  properties:
                    name: {type: string, minLength: 2, maxLength: 2, pattern: '^a|b$'}
          status:
            type: object
            properties:
              conditions:
                type: array
                items:
                  type: object
                  properties:
                    type: {type: string}
                    status: {type: string}
                    reason: {type: string}
                    message: {type: string}
                    lastTransitionTime: {type: string}
                    observedGeneration: {type: integer}
`

func generate(t *testing.T, definition string) string {
	t.Helper()
	input, output := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(input, "widgets.yaml"), []byte(definition), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(input, output); err != nil {
		t.Fatal(err)
	}
	return output
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestPage(t *testing.T) {
	page := read(t, generate(t, widgets), "widget.md")
	last := -1
	for _, want := range []string{
		"# Widget\n",
		"`apiVersion: example.com/v1`\n",
		"Widget is a thing.\n",
		"## spec\n\nspec is wanted.\n\n- Rule: must differ.\n",
		"| `free` | any JSON | optional |  |\n",
		"| `labels` | map of string | optional | Keys: at most 3. |\n",
		"| `mode` | string | optional | mode of the widget, fast \\| slow.<br>Default: `\"Fast\"`.<br>One of `\"Fast\"`, `\"Slow\"`. |\n",
		"| `parts` | list of object | required | Items: at least 1. |\n",
		"| `size` | integer (int32) | optional | Value: 1 to 9. |\n",
		"## spec.parts[]\n\nPart of it.\n",
		"| `name` | string | optional | Characters: exactly 2.<br>Pattern: `^a\\|b$`. |\n",
		"## status\n",
		"| `conditions` | list of Condition | optional |  |\n",
		"| Ready | `.status.conditions[?(@.type==\"Ready\")].status` |  |\n",
		"| Message | `.status.message` | with `-o wide` |\n",
	} {
		at := strings.Index(page, want)
		if at <= last {
			t.Errorf("%q not found in its place", want)
			continue
		}
		last = at
	}
	if strings.Contains(page, "## status.conditions") {
		t.Error("the fields of a condition are repeated")
	}
	if t.Failed() {
		t.Log(page)
	}
}

func TestIndex(t *testing.T) {
	index := read(t, generate(t, widgets), "README.md")
	if want := "| [Widget](widget.md) | example.com | v1 | Namespaced | wd |\n"; !strings.Contains(index, want) {
		t.Errorf("%q not found in\n%s", want, index)
	}
}

func TestPageOfARemovedKindGoes(t *testing.T) {
	output := generate(t, widgets)
	input := t.TempDir()
	renamed := strings.NewReplacer("Widget", "Gadget", "widget", "gadget").Replace(widgets)
	if err := os.WriteFile(filepath.Join(input, "gadgets.yaml"), []byte(renamed), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(input, output); err != nil {
		t.Fatal(err)
	}
	read(t, output, "gadget.md")
	if _, err := os.Stat(filepath.Join(output, "widget.md")); !os.IsNotExist(err) {
		t.Errorf("the page of the removed kind: %v, want it gone", err)
	}
}

func TestUnwrap(t *testing.T) {
	for in, want := range map[string]string{
		"one\ntwo":          "one two",
		"one\n\ntwo\nthree": "one\n\ntwo three",
		"list:\n- a\n- b":   "list:\n- a\n- b",
		"":                  "",
	} {
		if got := unwrap(in); got != want {
			t.Errorf("unwrap(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	if err := run(t.TempDir(), t.TempDir()); err == nil || !strings.HasPrefix(err.Error(), "no definitions in ") {
		t.Errorf("empty folder: got %v", err)
	}
	input := t.TempDir()
	if err := os.WriteFile(filepath.Join(input, "bad.yaml"), []byte("spec: {grup: x}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(input, t.TempDir()); err == nil || !strings.Contains(err.Error(), "bad.yaml") {
		t.Errorf("unknown field: got %v", err)
	}
}
