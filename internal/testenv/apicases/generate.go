// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The functions here make the cases on both sides of the limits that every field of a type has.

// letters is n times the letter a.
func letters(n int) string { return strings.Repeat("a", n) }

// lengths of a text, in characters. fill makes a text of a length that breaks no other rule.
func (s subject) lengths(path string, least, most int, fill func(int) string) []Case {
	upper := s.rule(path, "maxLength")
	cases := []Case{
		s.accept(upper, "at the limit", set(path, fill(most))),
		s.reject(upper, "over the limit", Cause{
			Type: "FieldValueTooLong", Field: fieldOf(path),
			Message: fmt.Sprintf("Too long: may not be more than %d bytes", most),
		}, set(path, fill(most+1))),
	}
	if least > 0 {
		lower := s.rule(path, "minLength")
		cases = append(cases,
			s.accept(lower, "at the limit", set(path, fill(least))),
			s.reject(lower, "under the limit", invalid(path,
				fmt.Sprintf("should be at least %d chars long", least)), set(path, fill(least)[:least-1])),
		)
	}
	return cases
}

// texts that a pattern or CEL rule tells apart.
func (s subject) texts(r Rule, want Cause, good, bad []string) []Case {
	var cases []Case
	for _, text := range good {
		cases = append(cases, s.accept(r, "accepts "+show(text), set(r.Path, text)))
	}
	for _, text := range bad {
		cases = append(cases, s.reject(r, "rejects "+show(text), want, set(r.Path, text)))
	}
	return cases
}

// pattern of a text.
func (s subject) pattern(path string, good, bad []string) []Case {
	return s.texts(s.rule(path, "pattern"), invalid(path, "should match '^"), good, bad)
}

// dnsLabel is a CEL rule.
func (s subject) dnsLabel(path string) []Case {
	const message = "must be a DNS label"
	return s.texts(s.cel(path, message), invalid(path, message),
		[]string{"a", "0-a"}, []string{"A", "a.b", "-a", "a-", "a_b", "a/b"})
}

// dnsSubdomain is a CEL rule.
func (s subject) dnsSubdomain(path string) []Case {
	const message = "must be a DNS subdomain"
	return s.texts(s.cel(path, message), invalid(path, message),
		[]string{"a", "0-a.b"}, []string{"A", "a..b", ".a", "-a", "a-", "a_b", "a/b"})
}

// enum of texts, all of them.
func (s subject) enum(path string, values ...string) []Case {
	return s.enumOf(path, values, values...)
}

// enumOf is for an enum of which the subject allows only the good values.
func (s subject) enumOf(path string, good []string, values ...string) []Case {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value)
	}
	return s.texts(s.rule(path, "enum"), Cause{
		Type: metav1.CauseTypeFieldValueNotSupported, Field: fieldOf(path),
		Message: "supported values: " + strings.Join(quoted, ", "),
	}, good, []string{"", "Other", strings.ToLower(values[0])})
}

// required field. The subject has it.
func (s subject) required(path string) []Case {
	r := s.rule(path, "required")
	return []Case{
		s.accept(r, "present"),
		s.reject(r, "absent", Cause{
			Type: metav1.CauseTypeFieldValueRequired, Field: fieldOf(path), Message: "Required value",
		}, unset(path)),
	}
}

// minimum of a number.
func (s subject) minimum(path string, least int64) []Case {
	r := s.rule(path, "minimum")
	return []Case{
		s.accept(r, "at the limit", set(path, least)),
		s.reject(r, "under the limit", invalid(path,
			fmt.Sprintf("should be greater than or equal to %d", least)), set(path, least-1)),
	}
}

// maximum of a number.
func (s subject) maximum(path string, most int64) []Case {
	r := s.rule(path, "maximum")
	return []Case{
		s.accept(r, "at the limit", set(path, most)),
		s.reject(r, "over the limit", invalid(path,
			fmt.Sprintf("should be less than or equal to %d", most)), set(path, most+1)),
	}
}

// list of n items.
func list(n int, item func(int) any) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = item(i)
	}
	return items
}

// maxItems of a list.
func (s subject) maxItems(path string, most int, item func(int) any) []Case {
	r := s.rule(path, "maxItems")
	return []Case{
		s.accept(r, "at the limit", set(path, list(most, item))),
		s.reject(r, "over the limit", Cause{
			Type: "FieldValueTooMany", Field: fieldOf(path),
			Message: fmt.Sprintf("must have at most %d items", most),
		}, set(path, list(most+1, item))),
	}
}

// unique items of a set or map. item makes items of the same identity from the same number.
func (s subject) unique(path string, item func(int) any) []Case {
	r := s.rule(path, "listType")
	return []Case{
		s.accept(r, "different items", set(path, []any{item(0), item(1)})),
		s.reject(r, "same items", Cause{
			Type: metav1.CauseTypeFieldValueDuplicate, Field: path + "[1]", Message: "Duplicate value",
		}, set(path, []any{item(0), item(0)})),
	}
}

// dateTime is RFC 3339.
func (s subject) dateTime(path string) []Case {
	return s.texts(s.rule(path, "format"), wrongType(path, "must be of type date-time"),
		[]string{"2026-01-02T03:04:05Z"}, []string{"", "yesterday", "2026-01-02", "2026-01-02 03:04:05Z"})
}
