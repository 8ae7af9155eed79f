// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/ccluster-go/ccluster-go/config/crd"
	"github.com/ccluster-go/ccluster-go/internal/testenv/apicases"
)

// validateCase does offline what the case asks of a server.
func validateCase(c apicases.Case) error {
	oldObj, newObj := &unstructured.Unstructured{Object: c.Old}, &unstructured.Unstructured{Object: c.New}
	switch c.Request {
	case apicases.Create:
		return Validate(newObj)
	case apicases.Update:
		return ValidateUpdate(oldObj, newObj)
	default:
		return ValidateStatusUpdate(oldObj, newObj)
	}
}

// fieldErrors fails the test if err is anything else.
func fieldErrors(t *testing.T, err error) field.ErrorList {
	t.Helper()
	if err == nil {
		return nil
	}
	var aggregate utilerrors.Aggregate
	if !errors.As(err, &aggregate) {
		t.Fatalf("%v (%T) is no aggregate", err, err)
	}
	var list field.ErrorList
	for _, e := range aggregate.Errors() {
		var one *field.Error
		if !errors.As(e, &one) {
			t.Fatalf("%v (%T) is no field error", e, e)
		}
		list = append(list, one)
	}
	return list
}

// names says whether one of the errors is the wanted one.
func names(errs field.ErrorList, want apicases.Cause) bool {
	for _, err := range errs {
		sameType := metav1.CauseType(err.Type) == want.Type ||
			want.Type == apicases.CauseUnknownField && err.Type == field.ErrorTypeForbidden
		if sameType && err.Field == want.Field && strings.Contains(err.ErrorBody(), want.Message) {
			return true
		}
	}
	return false
}

func TestValidateTable(t *testing.T) {
	for _, c := range apicases.All() {
		t.Run(c.Name, func(t *testing.T) {
			g := NewWithT(t)
			newBefore, oldBefore := runtime.DeepCopyJSON(c.New), runtime.DeepCopyJSON(c.Old)
			errs := fieldErrors(t, validateCase(c))
			g.Expect(c.New).To(Equal(newBefore), "the object was changed")
			g.Expect(c.Old).To(Equal(oldBefore), "the old object was changed")
			if c.Accepted() {
				g.Expect(errs).To(BeEmpty())
				return
			}
			if !names(errs, *c.Want) {
				t.Errorf("want %+v, got %v", *c.Want, errs)
			}
		})
	}
}

// TestEveryRuleIsNeeded takes each rule out of its schema: the rejection that its cases want
// must then be gone. A case that passes without its rule tests something else.
func TestEveryRuleIsNeeded(t *testing.T) {
	rejects := map[apicases.Rule][]apicases.Case{}
	for _, c := range apicases.All() {
		if !c.Accepted() && c.Rule != (apicases.Rule{}) {
			rejects[c.Rule] = append(rejects[c.Rule], c)
		}
	}
	definitions, err := crd.CustomResourceDefinitions()
	if err != nil {
		t.Fatal(err)
	}
	for rule, cases := range rejects {
		rules := rulesWithout(t, definitions, rule)
		for _, c := range cases {
			if errs := run(t, rules, c); names(errs, *c.Want) {
				t.Errorf("%q is rejected for the same cause without %s", c.Name, rule)
			}
		}
	}
}

func run(t *testing.T, rules *kindRules, c apicases.Case) field.ErrorList {
	t.Helper()
	oldObj, newObj := runtime.DeepCopyJSON(c.Old), runtime.DeepCopyJSON(c.New)
	ctx := t.Context()
	switch c.Request {
	case apicases.Create:
		return rules.create(ctx, newObj)
	case apicases.Update:
		return rules.update(ctx, oldObj, newObj)
	default:
		return rules.statusUpdate(ctx, oldObj, newObj)
	}
}

func rulesWithout(t *testing.T, definitions []*apiextensionsv1.CustomResourceDefinition, victim apicases.Rule) *kindRules {
	t.Helper()
	var definition *apiextensionsv1.CustomResourceDefinition
	for _, d := range definitions {
		if d.Spec.Names.Kind == victim.Kind {
			definition = d.DeepCopy()
		}
	}
	removed := 0
	apicases.Walk(definition, func(r apicases.Rule, remove func()) {
		switch {
		case r == victim:
			remove()
			removed++
		case r.Keyword == apicases.CEL && (victim.Keyword != apicases.CEL || victim.Path != r.Path):
			remove() // it takes long to compile, and its cause is never that of another field or keyword
		}
	})
	if removed != 1 {
		t.Fatalf("removed %d rules for %s", removed, victim)
	}
	rules, err := compile(definition, &definition.Spec.Versions[0])
	if err != nil {
		t.Fatalf("compile without %s: %v", victim, err)
	}
	return rules
}
