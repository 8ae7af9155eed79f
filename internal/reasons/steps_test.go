// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package reasons

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestStepsAreForReasonsThatOccur(t *testing.T) {
	g := NewWithT(t)
	occur := append(slices.Collect(maps.Values(OfPlanes())), v1alpha1.ReasonTokenPending)
	for reason, step := range NextSteps() {
		g.Expect(occur).To(ContainElement(reason))
		g.Expect(step).To(MatchRegexp("^[a-z].*[a-z0-9`]$"), "it goes behind a colon, and ends without a period")
	}
}
