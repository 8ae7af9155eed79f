// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestDefaultsReachLaterGomegas(t *testing.T) {
	Defaults()
	g := NewWithT(t)
	g.Expect(g.DurationBundle.EventuallyTimeout).To(Equal(EventuallyTimeout))
	g.Expect(g.DurationBundle.EventuallyPollingInterval).To(Equal(EventuallyPolling))
	g.Expect(g.DurationBundle.ConsistentlyDuration).To(Equal(ConsistentlyDuration))
	g.Expect(g.DurationBundle.ConsistentlyPollingInterval).To(Equal(ConsistentlyPolling))
	g.Expect(g.DurationBundle.EnforceDefaultTimeoutsWhenUsingContexts).To(BeTrue())
}
