// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package conditionstest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega/format"
	"github.com/onsi/gomega/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/pkg/conditions"
)

// MatchCondition succeeds for a metav1.Condition, or a pointer to one, that
// equals want in everything but lastTransitionTime.
func MatchCondition(want metav1.Condition) types.GomegaMatcher {
	return &matcher{
		want: render(want),
		got: func(actual any) (string, error) {
			switch c := actual.(type) {
			case metav1.Condition:
				return render(c), nil
			case *metav1.Condition:
				if c == nil {
					return "no condition", nil
				}
				return render(*c), nil
			default:
				return "", fmt.Errorf("MatchCondition needs a metav1.Condition, got %T", actual)
			}
		},
	}
}

// MatchConditions succeeds for a []metav1.Condition that holds exactly want, in
// any order, equal in everything but lastTransitionTime.
func MatchConditions(want ...metav1.Condition) types.GomegaMatcher {
	return &matcher{
		want: renderAll(want),
		got: func(actual any) (string, error) {
			list, err := asList("MatchConditions", actual)
			if err != nil {
				return "", err
			}
			return renderAll(list), nil
		},
	}
}

// HaveCondition succeeds for a []metav1.Condition whose condition of that type
// has that status and reason.
func HaveCondition(t string, status metav1.ConditionStatus, reason string) types.GomegaMatcher {
	return &matcher{
		want: fmt.Sprintf("%s=%s %s", t, status, reason),
		got: func(actual any) (string, error) {
			list, err := asList("HaveCondition", actual)
			if err != nil {
				return "", err
			}
			c := conditions.Find(list, t)
			if c == nil {
				return "no " + t + " in\n" + renderAll(list), nil
			}
			return fmt.Sprintf("%s=%s %s", t, c.Status, c.Reason), nil
		},
	}
}

// matcher compares texts, so that a failure shows plain lines instead of structs.
type matcher struct {
	want string
	got  func(actual any) (string, error)
	seen string
}

func (m *matcher) Match(actual any) (bool, error) {
	var err error
	m.seen, err = m.got(actual)
	return err == nil && m.seen == m.want, err
}

func (m *matcher) FailureMessage(any) string {
	return fmt.Sprintf("Expected\n%s\nto be\n%s", format.IndentString(m.seen, 1), format.IndentString(m.want, 1))
}

func (m *matcher) NegatedFailureMessage(any) string {
	return fmt.Sprintf("Expected\n%s\nto be something else", format.IndentString(m.seen, 1))
}

func asList(name string, actual any) ([]metav1.Condition, error) {
	list, ok := actual.([]metav1.Condition)
	if !ok {
		return nil, fmt.Errorf("%s needs a []metav1.Condition, got %T", name, actual)
	}
	return list, nil
}

// render shows every compared field; messages are quoted, so that no message can
// look like another condition.
func render(c metav1.Condition) string {
	return fmt.Sprintf("%s=%s %s (generation %d): %q", c.Type, c.Status, c.Reason, c.ObservedGeneration, c.Message)
}

func renderAll(list []metav1.Condition) string {
	lines := make([]string, 0, len(list))
	for _, c := range list {
		lines = append(lines, render(c))
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		return "no conditions"
	}
	return strings.Join(lines, "\n")
}
