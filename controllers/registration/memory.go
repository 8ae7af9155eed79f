// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// memory is what the manager knows of registrations beyond what is written down.
// Losing it costs a check of every plane, nothing else.
type memory struct {
	mu      sync.Mutex
	records map[types.NamespacedName]*record
	// woken are registrations whose bootstrap Secret has been seen, at a start or since.
	woken map[types.NamespacedName]bool
}

// record is of one registration. Only the worker that reconciles it touches it.
type record struct {
	uid types.UID

	// proven is what a check has accepted for the generation; nil before.
	proven     *ccluster.InfraPlane
	generation int64
	// nextCheck and checks pace the checks of a proven credential.
	nextCheck time.Time
	checks    int
	// right is what a check asks about, by the role that the spec names; sampled tells that
	// the role has been looked at.
	right   *authorizationv1.ResourceAttributes
	sampled bool
	// rotateAt is when the token is to be replaced, sweepAt when an older one is to be
	// withdrawn; zero is never.
	rotateAt, sweepAt time.Time
	// recalled tells that sweepAt is known, also of tokens from before a restart.
	recalled bool
	// rebuild asks for a pass with the bootstrap's credential: its Secret has changed.
	rebuild bool

	// failures and retryAt pace attempts after a failure.
	failures int
	retryAt  time.Time
	// attempted is the generation that the failures are about.
	attempted int64

	// probeAt is when a failed probe is run again; probeFailures are those in a row.
	probeAt       time.Time
	probeFailures int

	// cleaned tells that a deleted registration has nothing left on its plane but what is
	// hidden from its token; refusals and refusedSince count how its token is received.
	cleaned bool
	// drainedAt is when its CCLInfraPlane was last seen to be still there.
	drainedAt    time.Time
	hidden       []string
	refusals     int
	refusedSince time.Time

	session *session
	// stirred tells that the bootstrap Secret may be another than the one that was used.
	stirred bool
	// bootstrapRemoved tells that the admin kubeconfig is not there any more.
	bootstrapRemoved bool

	// state is what metrics tell; it is under the lock.
	state *state

	// written is the status as last written, which the cache may not show yet.
	written        *v1alpha1.ClusterRegistrationStatus
	writtenVersion string
}

func newMemory() *memory {
	return &memory{records: map[types.NamespacedName]*record{}, woken: map[types.NamespacedName]bool{}}
}

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
	if m.woken[key] {
		delete(m.woken, key)
		r.stirred, r.bootstrapRemoved = true, false
		r.recover()
	}
	return r
}

// wake ends a wait early: the bootstrap Secret that the registration names is there, and may
// be another than before.
func (m *memory) wake(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.woken[key] = true
}

func (m *memory) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[key]; r != nil && r.session != nil {
		r.session.close()
	}
	delete(m.records, key)
	delete(m.woken, key)
}

// recover forgets earlier failures.
func (r *record) recover() {
	r.failures, r.retryAt = 0, time.Time{}
}

// state is the part of a registration that is of interest to monitoring.
type state struct {
	key     types.NamespacedName
	ready   bool
	reason  string
	expires time.Time
}

func (m *memory) report(s state) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[s.key]; r != nil {
		r.state = &s
	}
}

func (m *memory) states() []state {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]state, 0, len(m.records))
	for _, r := range m.records {
		if r.state != nil {
			list = append(list, *r.state)
		}
	}
	return list
}
