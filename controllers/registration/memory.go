// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// memory is what the manager knows of registrations beyond what is written down.
// Losing it costs a check of every plane, nothing else.
type memory struct {
	mu      sync.Mutex
	records map[types.NamespacedName]*record
}

// record is of one registration. Only the worker that reconciles it touches it, but
// for wake, which is under the lock.
type record struct {
	uid types.UID

	// proven is what a check has accepted for the generation; nil before.
	proven     *ccluster.InfraPlane
	generation int64
	// nextCheck and checks pace the checks of a proven credential.
	nextCheck time.Time
	checks    int

	// failures and retryAt pace attempts after a failure.
	failures int
	retryAt  time.Time
	// attempted is the generation that the failures are about.
	attempted int64

	session *session
	woken   bool
	// bootstrapRemoved tells that the admin kubeconfig is not there any more.
	bootstrapRemoved bool

	// written is the status as last written, which the cache may not show yet.
	written        *v1alpha1.ClusterRegistrationStatus
	writtenVersion string
}

func newMemory() *memory { return &memory{records: map[types.NamespacedName]*record{}} }

// of returns the record of an object, a new one for a new object of the same name.
func (m *memory) of(key types.NamespacedName, uid types.UID) *record {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[key]
	if r == nil || r.uid != uid {
		if r != nil && r.session != nil {
			r.session.close()
		}
		r = &record{uid: uid}
		m.records[key] = r
	}
	if r.woken {
		r.woken, r.bootstrapRemoved = false, false
		r.recover()
	}
	return r
}

// wake ends a wait early: something that the registration depends on has changed.
func (m *memory) wake(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[key]; r != nil {
		r.woken = true
	}
}

func (m *memory) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[key]; r != nil && r.session != nil {
		r.session.close()
	}
	delete(m.records, key)
}

// recover forgets earlier failures.
func (r *record) recover() {
	r.failures, r.retryAt = 0, time.Time{}
}
