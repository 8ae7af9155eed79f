// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/internal/remote"
)

func TestMetricsTellOfRegistrationsAsLongAsTheyAreThere(t *testing.T) {
	g := NewWithT(t)
	m := NewMetrics()
	m.memory, m.now = newMemory(), func() time.Time { return now }
	key := types.NamespacedName{Namespace: "tenant-a", Name: "edge-1"}
	m.memory.of(key, "uid")
	m.memory.report(state{key: key, ready: true, reason: "Ready", expires: now.Add(time.Hour)})
	other := types.NamespacedName{Namespace: "tenant-b", Name: "edge-2"}
	m.memory.of(other, "uid")
	m.memory.report(state{key: other, reason: "ConnectionFailed"})
	m.memory.report(state{key: types.NamespacedName{Name: "never seen"}})

	g.Expect(testutil.CollectAndCompare(m, strings.NewReader(`
# HELP ccluster_registration_ready 1 for a registration that is Ready, 0 for one that is not, with the reason.
# TYPE ccluster_registration_ready gauge
ccluster_registration_ready{name="edge-1",namespace="tenant-a",reason="Ready"} 1
ccluster_registration_ready{name="edge-2",namespace="tenant-b",reason="ConnectionFailed"} 0
# HELP ccluster_registration_token_expiry_seconds Seconds until the stored token expires. Absent for tokens without expiry.
# TYPE ccluster_registration_token_expiry_seconds gauge
ccluster_registration_token_expiry_seconds{name="edge-1",namespace="tenant-a"} 3600
`), "ccluster_registration_ready", "ccluster_registration_token_expiry_seconds")).To(Succeed())

	m.memory.forget(key)
	g.Expect(testutil.CollectAndCount(m, "ccluster_registration_ready")).To(Equal(1))
	g.Expect(testutil.CollectAndCount(m, "ccluster_registration_token_expiry_seconds")).To(BeZero())
}

func TestMetricsCountWhatIsDone(t *testing.T) {
	g := NewWithT(t)
	m := NewMetrics()
	m.rotated(nil)
	m.rotated(nil)
	m.rotated(errors.New("down"))
	g.Expect(testutil.ToFloat64(m.rotations.WithLabelValues("success"))).To(Equal(2.0))
	g.Expect(testutil.ToFloat64(m.rotations.WithLabelValues("failure"))).To(Equal(1.0))

	m.Observe("get secrets", 0.2, remote.None)
	m.Observe("get secrets", 0.2, remote.Unauthorized)
	g.Expect(testutil.ToFloat64(m.errors.WithLabelValues("Unauthorized"))).To(Equal(1.0))
	g.Expect(testutil.CollectAndCount(m, "ccluster_plane_request_duration_seconds")).To(Equal(1))
}
