// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"testing"

	. "github.com/onsi/gomega"
)

const (
	planePage = "cclinfraplane.md"
	planeDir  = "../controllers/infraplane"
)

// TestReasonsOfPlanesAreDocumented compares the table of Available, and that of events, with what
// the controller's code names.
func TestReasonsOfPlanesAreDocumented(t *testing.T) {
	g := NewWithT(t)
	documented := map[string]bool{}
	for _, r := range read(t, planePage).section(t, "## Conditions").rows(t, "Status", "Reason") {
		for _, reason := range codes(r.cells["Reason"]) {
			documented[reason] = true
		}
	}
	told, actions := documentedEvents(t, planePage)
	used := usedReasons(t, planeDir)
	delete(used, "Ready")
	for reason := range used {
		g.Expect(documented[reason] || told[reason]).To(BeTrue(), "reason %s is not in %s", reason, planePage)
	}
	for reason := range documented {
		g.Expect(used).To(HaveKey(reason), "%s lists a reason that the controller never sets", planePage)
	}
	for _, value := range constants(t, planeDir, "reason") {
		g.Expect(told).To(HaveKey(value), planePage)
		used[value] = true
	}
	for reason := range told {
		g.Expect(used).To(HaveKey(reason), "%s lists an event that is never sent", planePage)
	}
	for _, value := range constants(t, planeDir, "action") {
		g.Expect(actions).To(HaveKey(value), planePage)
	}
}
