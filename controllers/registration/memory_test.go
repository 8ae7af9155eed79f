// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// newConn is a connection that is not dialled.
func newConn(t *testing.T) *remote.Conn {
	t.Helper()
	conn, err := newPool(t).Fresh(regKey, kubeconfig.Endpoint{Server: "https://edge-1.example"}, kubeconfig.Credential{BearerToken: canary})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return conn
}

// closed tells whether a connection refuses further requests, without making one.
func closed(t *testing.T, conn *remote.Conn) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := conn.WhoAmI(ctx)
	kind := remote.Classify(err).Kind
	NewWithT(t).Expect(kind).To(BeElementOf(remote.ConnectionClosed, remote.Canceled))
	return kind == remote.ConnectionClosed
}

func TestMemoryKeepsARecordPerObject(t *testing.T) {
	g := NewWithT(t)
	m := newMemory()
	record := m.of(regKey, "uid-1")
	record.checks = 7
	g.Expect(m.of(regKey, "uid-1")).To(BeIdenticalTo(record))
	g.Expect(m.of(types.NamespacedName{Namespace: "other", Name: regKey.Name}, "uid-1")).NotTo(BeIdenticalTo(record))
	g.Expect(m.records).To(HaveLen(2))
}

// A namesake knows nothing of its predecessor: its credential least of all.
func TestMemoryForgetsAPredecessor(t *testing.T) {
	for name, admin := range map[string]bool{"an admin's session": true, "its own session": false} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m, conn := newMemory(), newConn(t)
			former := m.of(regKey, "uid-1")
			former.proven, former.failures = &ccluster.InfraPlane{BearerToken: canary}, 3
			former.session = &session{conn: conn, admin: admin}

			record := m.of(regKey, "uid-2")
			g.Expect(*record).To(Equal(recordOf("uid-2")))
			g.Expect(m.records).To(HaveLen(1))
			g.Expect(closed(t, conn)).To(Equal(admin))
		})
	}
}

func TestMemoryForget(t *testing.T) {
	g := NewWithT(t)
	m, conn := newMemory(), newConn(t)
	m.of(regKey, "uid-1").session = &session{conn: conn, admin: true}
	m.forget(regKey)
	g.Expect(m.records).To(BeEmpty())
	g.Expect(closed(t, conn)).To(BeTrue())
	m.forget(regKey)
	m.forget(types.NamespacedName{Name: "never seen"})
}

func TestMemoryWakes(t *testing.T) {
	g := NewWithT(t)
	m := newMemory()
	record := m.of(regKey, "uid-1")
	record.failures, record.retryAt, record.checks, record.nextCheck = 3, now, 7, now
	m.wake(types.NamespacedName{Name: "never seen"}, false)
	g.Expect(m.records).To(HaveLen(1), "an object that was never worked on has nothing to wake from")
	g.Expect(m.of(regKey, "uid-1").failures).To(Equal(3))

	m.wake(regKey, false)
	g.Expect(record.failures).To(Equal(3), "its worker may be at work")
	g.Expect(m.of(regKey, "uid-1")).To(BeIdenticalTo(record))
	g.Expect(record.failures).To(BeZero())
	g.Expect(record.retryAt).To(BeZero())
	g.Expect(record.checks).To(Equal(7))
	g.Expect(record.nextCheck).To(Equal(now), "what is proven stays so")

	record.failures = 2
	g.Expect(m.of(regKey, "uid-1").failures).To(Equal(2), "woken once")
}

// Another bootstrap kubeconfig asks for a pass with it; the same one only ends a wait.
func TestWakingAsksForARebuild(t *testing.T) {
	for name, test := range map[string]struct {
		wakes []bool
		want  bool
	}{
		"never":              {nil, false},
		"the same":           {[]bool{false}, false},
		"another":            {[]bool{true}, true},
		"another, then same": {[]bool{true, false}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m := newMemory()
			record := m.of(regKey, "uid-1")
			for _, changed := range test.wakes {
				m.wake(regKey, changed)
			}
			g.Expect(m.of(regKey, "uid-1").rebuild).To(Equal(test.want))
			g.Expect(m.of(regKey, "uid-1").rebuild).To(Equal(test.want), "until it is done")
			record.rebuild = false
			g.Expect(m.of(regKey, "uid-1").rebuild).To(BeFalse())
		})
	}
}

func TestMemoryKnowsSecretsByTheirVersion(t *testing.T) {
	g := NewWithT(t)
	m := newMemory()
	other := types.NamespacedName{Namespace: "other", Name: regKey.Name}
	g.Expect(m.changed(regKey, "1")).To(BeFalse(), "the first sight")
	g.Expect(m.changed(other, "2")).To(BeFalse())
	g.Expect(m.changed(regKey, "1")).To(BeFalse())
	g.Expect(m.changed(regKey, "2")).To(BeTrue())
	g.Expect(m.changed(regKey, "2")).To(BeFalse())
	g.Expect(m.changed(regKey, "1")).To(BeTrue(), "a restored one is another too")
}

// A secret that comes back has to be removed again.
func TestWakingLooksForTheBootstrapAgain(t *testing.T) {
	g := NewWithT(t)
	m := newMemory()
	record := m.of(regKey, "uid-1")
	record.bootstrapRemoved = true
	g.Expect(m.of(regKey, "uid-1").bootstrapRemoved).To(BeTrue())
	m.wake(regKey, false)
	g.Expect(m.of(regKey, "uid-1").bootstrapRemoved).To(BeFalse())
}

func recordOf(uid types.UID) record { return record{uid: uid} }
