// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// writes counts what was written to a resource in a namespace since a position in the audit log.
func (h *harness) writes(since int64, resource, namespace string) int {
	GinkgoHelper()
	events, err := control.Audit(localplane.AuditFilter{
		Since: since, Resource: resource, Namespace: namespace, Verbs: []string{"create", "update", "patch", "delete"},
	})
	Expect(err).NotTo(HaveOccurred())
	return len(events)
}
