// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/config/crd"
)

// TestEveryRuleHasCases keeps the table complete: a marker that is added to the API types
// without cases fails here.
func TestEveryRuleHasCases(t *testing.T) {
	accepts, rejects := map[Rule]int{}, map[Rule]int{}
	for _, c := range All() {
		if c.Accepted() {
			accepts[c.Rule]++
		} else {
			rejects[c.Rule]++
		}
	}

	rules := map[Rule]bool{{}: true}
	definitions, err := crd.CustomResourceDefinitions()
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range definitions {
		Walk(definition, func(r Rule, _ func()) {
			if rules[r] {
				t.Errorf("two rules cannot be told apart: %s", r)
			}
			rules[r] = true
			if accepts[r] == 0 {
				t.Errorf("no case is accepted for: %s", r)
			}
			if rejects[r] == 0 {
				t.Errorf("no case is rejected for: %s", r)
			}
		})
	}
	if len(rules) < 200 {
		t.Errorf("found only %d rules: the schemas were not walked", len(rules))
	}
	for _, c := range All() {
		if !rules[c.Rule] {
			t.Errorf("case %q is about a rule that no schema has: %s", c.Name, c.Rule)
		}
	}
}

func TestCaseNamesAreUnique(t *testing.T) {
	names := map[string]bool{}
	for _, c := range All() {
		if names[c.Name] {
			t.Errorf("two cases are called %q", c.Name)
		}
		names[c.Name] = true
	}
}

func TestCasesShareNothing(t *testing.T) {
	g := NewWithT(t)
	first, second := All(), All()
	for _, c := range first {
		clear(c.New)
	}
	for _, c := range second {
		g.Expect(c.New).NotTo(BeEmpty(), c.Name)
		if c.Old != nil {
			g.Expect(c.Old).NotTo(BeEmpty(), c.Name)
		}
	}
}
