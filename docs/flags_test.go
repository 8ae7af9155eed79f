// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/manager" //nolint:depguard // the page's table is compared with the flags
)

var (
	flagName    = regexp.MustCompile(`(?m)^\s+--([a-z][a-z0-9-]*)`)
	flagDefault = regexp.MustCompile(`\(default "?([^":)]+)"?\)$`)
)

// flags are the manager's flags and their defaults, as --help has them; empty where --help
// has none.
func flags() map[string]string {
	text := manager.Usage()
	starts := flagName.FindAllStringSubmatchIndex(text, -1)
	found := map[string]string{}
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		// Long texts are folded.
		usage := strings.Join(strings.Fields(text[at[0]:end]), " ")
		value := ""
		if match := flagDefault.FindStringSubmatch(usage); match != nil {
			value = match[1]
		}
		found["--"+text[at[2]:at[3]]] = value
	}
	return found
}

func TestEveryFlagIsDescribed(t *testing.T) {
	g := NewWithT(t)
	wanted := flags()
	g.Expect(wanted).To(HaveKey("--deny-cidr"))
	rows := map[string]row{}
	for _, r := range read(t, registrationPage).section(t, "## Manager flags").rows(t, "Flag", "Default") {
		rows[code(t, r.cells["Flag"])] = r
	}
	g.Expect(slices.Sorted(maps.Keys(rows))).To(Equal(slices.Sorted(maps.Keys(wanted))))
	for name, value := range wanted {
		shown := rows[name].cells["Default"]
		if list, isList := strings.CutPrefix(value, "["); isList {
			for item := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
				g.Expect(codes(shown)).To(ContainElement(item), "default of %s", name)
			}
			continue
		}
		if value != "" {
			g.Expect(codes(shown)).To(Equal([]string{value}), "default of %s", name)
		}
	}
}
