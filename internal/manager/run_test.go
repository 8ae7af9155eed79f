// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/ccluster-go/ccluster-go/controllers/registration"
)

func TestClientConfigHasNoRateLimitOfItsOwn(t *testing.T) {
	g := NewWithT(t)
	given := &rest.Config{Host: "https://cp.example.com", QPS: 5, Burst: 10, RateLimiter: flowcontrol.NewFakeAlwaysRateLimiter(), UserAgent: "x"}
	c := clientConfig(given)
	g.Expect(c.QPS).To(BeNumerically("<", 0))
	g.Expect(c.RateLimiter).To(BeNil())
	g.Expect(c.UserAgent).To(MatchRegexp(`^ccluster-go/\S+ \(manager\)$`))
	g.Expect(c.Host).To(Equal(given.Host))
	g.Expect(given.UserAgent).To(Equal("x"), "the caller's stays as it is")
}

func TestManagerOptions(t *testing.T) {
	g := NewWithT(t)
	o := DefaultOptions()
	o.LeaderElectNamespace, o.Namespaces = "lease", []string{"a", "b"}
	chosen, err := o.selected()
	g.Expect(err).NotTo(HaveOccurred())
	m, err := o.manager(chosen)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.LeaderElection).To(BeTrue())
	g.Expect(m.LeaderElectionID).To(Equal("ccluster-manager"))
	g.Expect(m.LeaderElectionNamespace).To(Equal("lease"))
	g.Expect(m.LeaderElectionReleaseOnCancel).To(BeTrue())
	g.Expect(m.Cache.DefaultNamespaces).To(And(HaveLen(2), HaveKey("a"), HaveKey("b")))
	g.Expect(m.HealthProbeBindAddress).To(Equal(":8081"))
	g.Expect(*m.GracefulShutdownTimeout).To(BeNumerically("<", 30*time.Second))
	g.Expect(*m.Controller.EnableWarmup).To(BeTrue())

	o.LeaderElect, o.Namespaces = false, nil
	m, err = o.manager(chosen)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.LeaderElection).To(BeFalse())
	g.Expect(m.Cache.DefaultNamespaces).To(BeNil())
}

func TestRegistrationOptionsCarryEveryFlag(t *testing.T) {
	g := NewWithT(t)
	o := DefaultOptions()
	g.Expect(registrationOptions(&o, "id")).To(Equal(registration.Options{
		ControlPlaneID: "id", CheckPeriod: time.Minute, TokenOverlap: 5 * time.Minute, RevokeTimeout: 10 * time.Minute, MaxConcurrentReconciles: 16,
		ProbeImage: "busybox:1.37",
	}))
	o.AllowInCluster, o.InClusterNamespaces = true, []string{"a"}
	o.AllowProxy, o.AllowInsecure, o.ReadyWithoutPlane = true, true, true
	o.DuplicateClusters = DuplicatesAllowed
	o.ProbeImage = "mirror.example/busybox:1"
	o.CheckPeriod, o.TokenOverlap, o.RevokeTimeout, o.MaxConcurrentReconciles = time.Second, time.Minute, time.Hour, 2
	g.Expect(registrationOptions(&o, "id")).To(Equal(registration.Options{
		ControlPlaneID: "id", AllowInCluster: true, InClusterNamespaces: []string{"a"},
		AllowProxy: true, AllowInsecure: true, AllowDuplicateClusters: true, ReadyWithoutPlane: true,
		CheckPeriod: time.Second, TokenOverlap: time.Minute, RevokeTimeout: time.Hour, MaxConcurrentReconciles: 2,
		ProbeImage: "mirror.example/busybox:1",
	}))
}

func TestRunChecksItsOptionsFirst(t *testing.T) {
	o := DefaultOptions()
	o.CheckPeriod = 0
	NewWithT(t).Expect(Run(t.Context(), &rest.Config{}, o)).To(MatchError(ContainSubstring("--check-period")))
}
