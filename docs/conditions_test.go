// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/reasons"
	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

const registrationPage = "clusterregistration.md"

// goFiles parses the Go files of a folder, tests left out.
func goFiles(t *testing.T, dir string) []*ast.File {
	t.Helper()
	g := NewWithT(t)
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	g.Expect(err).NotTo(HaveOccurred())
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		g.Expect(err).NotTo(HaveOccurred())
		files = append(files, file)
	}
	g.Expect(files).NotTo(BeEmpty(), dir)
	return files
}

// constants are the text constants of a folder whose names begin with prefix, by name.
func constants(t *testing.T, dir, prefix string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range goFiles(t, dir) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			for i, name := range spec.Names {
				text, ok := spec.Values[i].(*ast.BasicLit)
				if !ok || !strings.HasPrefix(name.Name, prefix) {
					continue
				}
				if value, err := strconv.Unquote(text.Value); err == nil {
					found[name.Name] = value
				}
			}
			return true
		})
	}
	NewWithT(t).Expect(found).NotTo(BeEmpty(), "constants %s… of %s", prefix, dir)
	return found
}

// apiName is the constant of the API package that an expression names, if it names one.
func apiName(n ast.Node) string {
	selector, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := selector.X.(*ast.Ident); !ok || x.Name != "v1alpha1" {
		return ""
	}
	return selector.Sel.Name
}

const (
	apiDir        = "../api/v1alpha1"
	controllerDir = "../controllers/registration"
)

// usedReasons are the values of the API's reasons that a controller's code names, and those of
// calls to planes.
func usedReasons(t *testing.T, dir string) map[string]bool {
	t.Helper()
	known := constants(t, apiDir, "Reason")
	used := map[string]bool{
		// These two are set through pkg/conditions, under its own names.
		conditions.ReasonReady: true, conditions.ReasonPending: true,
	}
	for _, reason := range reasons.OfPlanes() {
		used[reason] = true
	}
	for _, file := range goFiles(t, dir) {
		ast.Inspect(file, func(n ast.Node) bool {
			if value, ok := known[apiName(n)]; ok {
				used[value] = true
			}
			return true
		})
	}
	return used
}

// outcome is one line of the condition tables.
type outcome struct{ condition, status, reason string }

// documentedOutcomes reads the table of each condition. A status cell may name several.
func documentedOutcomes(t *testing.T) []outcome {
	t.Helper()
	var found []outcome
	for _, r := range read(t, registrationPage).section(t, "## Conditions").rows(t, "Status", "Reason") {
		for _, status := range codes(r.cells["Status"]) {
			for _, reason := range codes(r.cells["Reason"]) {
				found = append(found, outcome{r.below, status, reason})
			}
		}
	}
	return found
}

// documentedEvents are the reasons and actions of the event table.
func documentedEvents(t *testing.T, page string) (told, actions map[string]bool) {
	t.Helper()
	told, actions = map[string]bool{}, map[string]bool{}
	for _, r := range read(t, page).section(t, "## Events").rows(t, "Reason", "Type", "Action") {
		for _, reason := range codes(r.cells["Reason"]) {
			told[reason] = true
		}
		for _, action := range codes(r.cells["Action"]) {
			actions[action] = true
		}
	}
	return told, actions
}

func TestEveryReasonThatTheControllerUsesIsDocumented(t *testing.T) {
	g := NewWithT(t)
	documented, _ := documentedEvents(t, registrationPage)
	for _, o := range documentedOutcomes(t) {
		documented[o.reason] = true
	}
	for reason := range usedReasons(t, controllerDir) {
		g.Expect(documented).To(HaveKey(reason), "reason %s is not in %s", reason, registrationPage)
	}
}

func TestEveryDocumentedReasonIsUsed(t *testing.T) {
	g := NewWithT(t)
	used := usedReasons(t, controllerDir)
	for _, o := range documentedOutcomes(t) {
		g.Expect(used).To(HaveKey(o.reason), "%s lists a reason of %s that the controller never sets", registrationPage, o.condition)
	}
	own := constants(t, controllerDir, "reason")
	for _, value := range own {
		used[value] = true
	}
	events, actions := documentedEvents(t, registrationPage)
	for reason := range events {
		g.Expect(used).To(HaveKey(reason), "%s lists an event that is never sent", registrationPage)
	}
	for _, value := range own {
		g.Expect(events).To(HaveKey(value), "event %s is not in %s", value, registrationPage)
	}
	known := map[string]bool{}
	for _, value := range constants(t, controllerDir, "action") {
		g.Expect(actions).To(HaveKey(value), "action %s is not in %s", value, registrationPage)
		known[value] = true
	}
	for action := range actions {
		g.Expect(known).To(HaveKey(action), "%s lists an unknown action", registrationPage)
	}
}

func TestEveryConditionHasItsTable(t *testing.T) {
	var inOrder []string
	for _, o := range documentedOutcomes(t) {
		if len(inOrder) == 0 || inOrder[len(inOrder)-1] != o.condition {
			inOrder = append(inOrder, o.condition)
		}
		NewWithT(t).Expect(o.status).To(BeElementOf("True", "False", "Unknown"), "%s, %s", o.condition, o.reason)
	}
	NewWithT(t).Expect(inOrder).To(Equal(v1alpha1.RegistrationConditions()))
}

// TestOutcomesThatTheCodeNamesAreDocumented looks for calls such as
//
//	s.no(v1alpha1.ConditionReachable, waiting(period, v1alpha1.ReasonServerAlreadyRegistered, …))
//
// which name the condition and the reason in one place.
func TestOutcomesThatTheCodeNamesAreDocumented(t *testing.T) {
	g := NewWithT(t)
	known, types := constants(t, apiDir, "Reason"), constants(t, apiDir, "Condition")
	statuses := map[string]string{"yes": "True", "confirm": "True", "no": "False", "unknown": "Unknown"}
	named := map[outcome]bool{}
	for _, file := range goFiles(t, controllerDir) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			status, condition := statuses[method.Sel.Name], types[apiName(call.Args[0])]
			if status == "" || condition == "" {
				return true
			}
			ast.Inspect(call.Args[1], func(n ast.Node) bool {
				if reason, ok := known[apiName(n)]; ok {
					named[outcome{condition, status, reason}] = true
				}
				return true
			})
			return true
		})
	}
	g.Expect(len(named)).To(BeNumerically(">=", 10), "the controller's code is not written as this test reads it")
	documented := documentedOutcomes(t)
	for o := range named {
		g.Expect(documented).To(ContainElement(o), registrationPage)
	}
}

// TestFailuresOfAPlaneAreDocumented looks at the reasons of failed calls to a plane: each may end on
// Reachable, whatever a plane answers to the first questions.
func TestFailuresOfAPlaneAreDocumented(t *testing.T) {
	g := NewWithT(t)
	documented := documentedOutcomes(t)
	for _, reason := range reasons.OfPlanes() {
		g.Expect(documented).To(ContainElement(outcome{v1alpha1.ConditionReachable, "False", reason}), registrationPage)
	}
}
