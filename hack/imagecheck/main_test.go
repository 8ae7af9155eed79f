// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// build compiles a program in a module of its own and returns the path of the binary.
func build(t *testing.T, source string, env, flags []string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module probe\n\ngo 1.26.0\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "probe")
	command := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"build", "-o", binary}, flags)...)
	command.Dir = dir
	command.Env = slices.Concat(os.Environ(), []string{"GOWORK=off", "GOFLAGS="}, env)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build probe: %v\n%s", err, output)
	}
	return binary
}

const (
	stamped = "package main\n\nvar version string\n\nfunc main() { println(version) }\n"
	withCgo = "package main\n\n/*\n#include <stdlib.h>\n*/\nimport \"C\"\n\nfunc main() { println(C.rand()) }\n"
)

func TestStaticStampedBinaryPasses(t *testing.T) {
	binary := build(t, stamped, []string{"CGO_ENABLED=0"}, []string{"-trimpath", "-ldflags", "-s -w -X main.version=v1.2.3-probe"})
	if err := check(binary, "v1.2.3-probe"); err != nil {
		t.Error(err)
	}
}

func TestReasonsAgainstABinary(t *testing.T) {
	for name, tc := range map[string]struct {
		source     string
		env, flags []string
		want       []string
	}{
		"cgo": {
			withCgo,
			[]string{"CGO_ENABLED=1"},
			[]string{"-trimpath"},
			[]string{"names a program interpreter", "needs the shared library libc.so.6", `CGO_ENABLED="1", must be "0"`},
		},
		"paths of this machine": {
			stamped,
			[]string{"CGO_ENABLED=0"},
			nil,
			[]string{`-trimpath="", must be "true"`},
		},
		"misspelt variable": {
			stamped,
			[]string{"CGO_ENABLED=0"},
			[]string{"-trimpath", "-ldflags", "-X main.Version=v1.2.3-probe"},
			[]string{`not stamped with version "v1.2.3-probe"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := check(build(t, tc.source, tc.env, tc.flags), "v1.2.3-probe")
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not contain %q", err, want)
				}
			}
		})
	}
}

func TestNotABinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho v1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := check(path, "v1")
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"read ELF header", "read Go build information"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not contain %q", err, want)
		}
	}
}

func TestMissingFileAndMissingVersion(t *testing.T) {
	if err := check(filepath.Join(t.TempDir(), "absent"), "v1"); !os.IsNotExist(err) {
		t.Errorf("got %v, want a not-exist error", err)
	}
	if err := checkStamp([]byte("v1"), ""); err == nil {
		t.Error("an empty version was found")
	}
}
