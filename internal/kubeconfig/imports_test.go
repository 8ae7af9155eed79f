// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowedImports can neither open a file, start a program nor dial, except for
// the packages in allowedNames.
var allowedImports = []string{
	"bytes", "crypto/tls", "crypto/x509", "encoding/base64", "encoding/binary", "encoding/pem", "errors", "fmt", "io",
	"net/netip", "path", "regexp", "slices", "strconv", "strings", "unicode", "unicode/utf16", "unicode/utf8",
	"go.yaml.in/yaml/v3", "golang.org/x/net/idna",
}

// allowedNames are all that is used of packages that can do more than compute.
var allowedNames = map[string][]string{
	"tls":  {"X509KeyPair"},
	"x509": {"ParseCertificate"},
}

func TestImportsArePure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			used[path] = true
			if !slices.Contains(allowedImports, path) {
				t.Errorf("%s imports %s", name, path)
			}
			if spec.Name != nil {
				t.Errorf("%s imports %s under another name", name, path)
			}
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := selector.X.(*ast.Ident); ok {
				if names, limited := allowedNames[pkg.Name]; limited && !slices.Contains(names, selector.Sel.Name) {
					t.Errorf("%s uses %s.%s", name, pkg.Name, selector.Sel.Name)
				}
			}
			return true
		})
	}
	for _, path := range allowedImports {
		if !used[path] {
			t.Errorf("%s is allowed but no longer imported", path)
		}
	}
	for _, path := range []string{"os", "os/exec", "net", "net/http", "io/ioutil", "io/fs", "syscall", "plugin", "unsafe", "path/filepath", "k8s.io/client-go/tools/clientcmd"} {
		if slices.Contains(allowedImports, path) {
			t.Errorf("%s must not be allowed", path)
		}
	}
}
