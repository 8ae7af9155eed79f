// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"testing"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

var planeKey = types.NamespacedName{Namespace: "tenant-a", Name: "edge"}

func TestMemoryForgetsAPredecessor(t *testing.T) {
	g := NewWithT(t)
	m := newMemory()
	m.of(planeKey, "uid-1").failures = 3
	g.Expect(m.of(planeKey, "uid-1").failures).To(Equal(3))
	g.Expect(m.of(planeKey, "uid-2").failures).To(BeZero())
	m.forget(planeKey)
	g.Expect(m.records).To(BeEmpty())
}

func TestProjectsAreLookedAtAgain(t *testing.T) {
	g := NewWithT(t)
	m := newMemory()
	g.Expect(m.projectSeen("a", "{}")).To(BeFalse())
	m.sawProject("a", "{}")
	m.sawProject("b", "{}")
	g.Expect(m.projectSeen("a", "{}")).To(BeTrue())
	g.Expect(m.projectSeen("a", "{1}")).To(BeFalse())
	m.sawProject("a", "")
	g.Expect(m.projectSeen("a", "{}")).To(BeFalse())
	m.forgetProjects()
	g.Expect(m.projectSeen("b", "{}")).To(BeFalse())
}

func TestLiveStatusIsTheNewest(t *testing.T) {
	g := NewWithT(t)
	plane := &v1alpha1.CCLInfraPlane{}
	plane.ResourceVersion = "10"
	r := &record{}
	g.Expect(r.liveStatus(plane)).To(BeIdenticalTo(&plane.Status))
	r.written, r.writtenVersion = &v1alpha1.CCLInfraPlaneStatus{}, "11"
	g.Expect(r.liveStatus(plane)).To(BeIdenticalTo(r.written))
	plane.ResourceVersion = "11"
	g.Expect(r.liveStatus(plane)).To(BeIdenticalTo(&plane.Status))
}

// A series ends with its plane.
func TestMetrics(t *testing.T) {
	g := NewWithT(t)
	m := NewMetrics()
	m.memory = newMemory()
	m.memory.of(planeKey, "uid")
	m.memory.report(state{key: planeKey, reason: "Unauthorized"})
	g.Expect(testutil.CollectAndCount(m, "ccluster_infra_plane_available")).To(Equal(1))
	m.memory.report(state{key: planeKey, available: true, reason: "Available"})
	g.Expect(testutil.CollectAndCount(m, "ccluster_infra_plane_available")).To(Equal(1))
	m.memory.forget(planeKey)
	m.memory.report(state{key: planeKey, available: true})
	g.Expect(testutil.CollectAndCount(m, "ccluster_infra_plane_available")).To(BeZero())
}
