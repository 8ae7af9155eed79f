// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// memory is what the manager knows of planes beyond what is written down. Losing it costs a
// check of every plane, nothing else.
type memory struct {
	mu      sync.Mutex
	records map[types.NamespacedName]*record
	// projects are the intents that namespaces' AppProjects were seen to have, until something
	// about them changes.
	projects map[string]string
}

// record is of one plane. Only the worker that reconciles it touches it, but for state, which
// is under the lock.
type record struct {
	uid types.UID

	// conn is the connection that was checked last, answers what it had been told by then, and
	// outcome what the check found; nil for a credential that was accepted.
	conn    *remote.Conn
	answers uint64
	outcome *problem
	// nextCheck is when to look again.
	nextCheck time.Time

	// failures and retryAt pace attempts after a failure.
	failures int
	retryAt  time.Time

	// mirrored is the version of the credentials that the cluster Secret was made from.
	mirrored string
	state    *state

	// written is the status as last written, which the cache may not show yet.
	written        *v1alpha1.CCLInfraPlaneStatus
	writtenVersion string
}

// state is the part of a plane that is of interest to monitoring.
type state struct {
	key       types.NamespacedName
	available bool
	reason    string
}

func newMemory() *memory {
	return &memory{records: map[types.NamespacedName]*record{}, projects: map[string]string{}}
}

// projectSeen tells whether a namespace's AppProject was seen to be as intended.
func (m *memory) projectSeen(namespace, intent string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.projects[namespace] == intent
}

// sawProject remembers what a namespace's AppProject is, empty if it has to be looked at.
func (m *memory) sawProject(namespace, intent string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if intent == "" {
		delete(m.projects, namespace)
		return
	}
	m.projects[namespace] = intent
}

// forgetProjects has every AppProject looked at again.
func (m *memory) forgetProjects() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.projects = map[string]string{}
}

// of returns the record of an object, a new one for a new object of the same name.
func (m *memory) of(key types.NamespacedName, uid types.UID) *record {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[key]
	if r == nil || r.uid != uid {
		r = &record{uid: uid}
		m.records[key] = r
	}
	return r
}

func (m *memory) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.records, key)
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

// liveStatus is the newest status known: the cache may be behind our last write.
func (r *record) liveStatus(plane *v1alpha1.CCLInfraPlane) *v1alpha1.CCLInfraPlaneStatus {
	if r.written == nil {
		return &plane.Status
	}
	order, err := resourceversion.CompareResourceVersion(plane.ResourceVersion, r.writtenVersion)
	if err != nil || order >= 0 {
		return &plane.Status
	}
	return r.written
}
