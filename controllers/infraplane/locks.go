// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import "sync"

// namespaceLocks lets one worker at a time decide what is in a namespace's project.
type namespaceLocks struct {
	mu    sync.Mutex
	locks map[string]*sync.Mutex
}

// lock returns what unlocks.
func (l *namespaceLocks) lock(namespace string) func() {
	l.mu.Lock()
	if l.locks == nil {
		l.locks = map[string]*sync.Mutex{}
	}
	one := l.locks[namespace]
	if one == nil {
		one = &sync.Mutex{}
		l.locks[namespace] = one
	}
	l.mu.Unlock()
	one.Lock()
	return one.Unlock
}
