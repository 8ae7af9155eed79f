// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// subject is a valid object that cases vary, and the request that they make with it. For
// UpdateStatus the object is created without its status.
type subject struct {
	kind    string
	request Request
	base    Object
}

func (s subject) with(edits ...edit) Object {
	o := clone(s.base)
	for _, e := range edits {
		e(o)
	}
	return o
}

func (s subject) but(edits ...edit) subject {
	return subject{kind: s.kind, request: s.request, base: s.with(edits...)}
}

func (s subject) rule(path, keyword string) Rule {
	return Rule{Kind: s.kind, Path: path, Keyword: keyword}
}

func (s subject) cel(path, message string) Rule {
	return Rule{Kind: s.kind, Path: path, Keyword: CEL, Message: message}
}

// accept is a case for r with an accepted object.
func (s subject) accept(r Rule, what string, edits ...edit) Case {
	c := Case{Name: s.name(r, what), Kind: s.kind, Rule: r, Request: s.request, New: s.with(edits...)}
	if s.request != Create {
		c.Old = s.with(unset("status"))
	}
	return c
}

// reject is a case for r with a rejected object.
func (s subject) reject(r Rule, what string, want Cause, edits ...edit) Case {
	c := s.accept(r, what, edits...)
	c.Want = &want
	return c
}

// name keeps names of cases short: a path says more than the object's content.
func (s subject) name(r Rule, what string) string {
	parts := []string{s.kind}
	for _, part := range []string{r.Path, r.Keyword, r.Message, what} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// show makes a value readable in a name.
func show(value any) string {
	text := fmt.Sprintf("%q", value)
	if len(text) > 60 {
		return fmt.Sprintf("%s… (%d)", text[:30], len(text))
	}
	return text
}

func invalid(path, message string) Cause {
	return Cause{Type: metav1.CauseTypeFieldValueInvalid, Field: fieldOf(path), Message: message}
}

func forbidden(path, message string) Cause {
	return Cause{Type: metav1.CauseTypeForbidden, Field: fieldOf(path), Message: message}
}

func wrongType(path, message string) Cause {
	return Cause{Type: metav1.CauseTypeTypeInvalid, Field: fieldOf(path), Message: message}
}
