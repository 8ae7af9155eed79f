// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	m.wake(types.NamespacedName{Name: "never seen"})
	g.Expect(m.records).To(HaveLen(1))
	g.Expect(m.of(regKey, "uid-1").failures).To(Equal(3))

	m.wake(regKey)
	g.Expect(record.failures).To(Equal(3), "its worker may be at work")
	g.Expect(m.of(regKey, "uid-1")).To(BeIdenticalTo(record))
	g.Expect(record.failures).To(BeZero())
	g.Expect(record.retryAt).To(BeZero())
	g.Expect(record.stirred).To(BeTrue())
	g.Expect(record.checks).To(Equal(7))
	g.Expect(record.nextCheck).To(Equal(now), "what is proven stays so")

	record.failures, record.stirred = 2, false
	g.Expect(m.of(regKey, "uid-1").failures).To(Equal(2), "woken once")
	g.Expect(record.stirred).To(BeFalse())
}

// At a start Secrets may be seen before the registrations that name them.
func TestMemoryWakesWhatItHasNotSeen(t *testing.T) {
	g := NewWithT(t)
	m := newMemory()
	m.wake(regKey)
	g.Expect(m.of(regKey, "uid-1").stirred).To(BeTrue())
	m.wake(regKey)
	m.forget(regKey)
	g.Expect(m.woken).To(BeEmpty())
}

// Another kubeconfig asks for a pass with it; the same one only ends a wait.
func TestAnotherKubeconfigAsksForARebuild(t *testing.T) {
	for name, test := range map[string]struct {
		data   map[string][]byte
		stored bool
		want   bool
	}{
		"the same":         {map[string][]byte{"value": []byte("a")}, true, false},
		"another":          {map[string][]byte{"value": []byte("b")}, true, true},
		"no longer one":    {map[string][]byte{"other": []byte("a")}, true, true},
		"gone":             {nil, true, false},
		"nothing is there": {map[string][]byte{"value": []byte("b")}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r, s := newScope(t, newReg())
			if test.data != nil {
				g.Expect(r.client.Create(t.Context(), &corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Namespace: regKey.Namespace, Name: "edge-1-kubeconfig"}, Data: test.data,
				})).To(Succeed())
			}
			if test.stored {
				s.stored = &stored{authentic: true, inputs: inputs{bootstrap: digest("a")}}
			}
			g.Expect(r.heedBootstrap(t.Context(), s)).To(Succeed())
			g.Expect(s.record.rebuild).To(BeFalse(), "nothing has stirred")
			s.record.stirred = true
			g.Expect(r.heedBootstrap(t.Context(), s)).To(Succeed())
			g.Expect(s.record.rebuild).To(Equal(test.want))
			g.Expect(s.record.stirred).To(BeFalse())
			g.Expect(s.inputs).To(BeZero())
		})
	}
}

// A secret that comes back has to be removed again.
func TestWakingLooksForTheBootstrapAgain(t *testing.T) {
	g := NewWithT(t)
	m := newMemory()
	record := m.of(regKey, "uid-1")
	record.bootstrapRemoved = true
	g.Expect(m.of(regKey, "uid-1").bootstrapRemoved).To(BeTrue())
	m.wake(regKey)
	g.Expect(m.of(regKey, "uid-1").bootstrapRemoved).To(BeFalse())
}

func recordOf(uid types.UID) record { return record{uid: uid} }
