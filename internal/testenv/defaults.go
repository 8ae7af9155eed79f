// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"time"

	"github.com/onsi/gomega"
)

// Waiting times of every suite. The first is generous because the machines
// that run tests are shared; a test that passes never waits for its end.
const (
	EventuallyTimeout    = 30 * time.Second
	EventuallyPolling    = 50 * time.Millisecond
	ConsistentlyDuration = 300 * time.Millisecond
	ConsistentlyPolling  = 20 * time.Millisecond
)

// Defaults sets gomega's waiting times, for ginkgo's global assertions and for
// each NewWithT made later.
func Defaults() {
	gomega.SetDefaultEventuallyTimeout(EventuallyTimeout)
	gomega.SetDefaultEventuallyPollingInterval(EventuallyPolling)
	gomega.SetDefaultConsistentlyDuration(ConsistentlyDuration)
	gomega.SetDefaultConsistentlyPollingInterval(ConsistentlyPolling)
	gomega.EnforceDefaultTimeoutsWhenUsingContexts()
}
