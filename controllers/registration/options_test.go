// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
)

func TestOptionsHaveDefaults(t *testing.T) {
	g := NewWithT(t)
	got, err := Options{ControlPlaneID: "plane-a"}.withDefaults()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(Options{
		ControlPlaneID: "plane-a", CheckPeriod: time.Minute, TokenOverlap: 5 * time.Minute, RevokeTimeout: 10 * time.Minute, MaxConcurrentReconciles: 16,
		ProbeImage: "busybox:1.37",
	}))
	given := Options{
		ControlPlaneID: "plane-a", CheckPeriod: time.Second, TokenOverlap: time.Minute, RevokeTimeout: time.Hour, MaxConcurrentReconciles: 1,
		AllowInCluster: true, InClusterNamespaces: []string{"a"}, AllowProxy: true, AllowInsecure: true,
		AllowDuplicateClusters: true, ReadyWithoutPlane: true, ProbeImage: "mirror.example/busybox:1",
	}
	got, err = given.withDefaults()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(given))
}

func TestOptionsErrors(t *testing.T) {
	const negative = "registration options: CheckPeriod, TokenOverlap, RevokeTimeout and MaxConcurrentReconciles must not be negative"
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"no ID":               {Options{}, "registration options: ControlPlaneID must be set"},
		"a negative period":   {Options{ControlPlaneID: "a", CheckPeriod: -1}, negative},
		"a negative timeout":  {Options{ControlPlaneID: "a", RevokeTimeout: -1}, negative},
		"fewer than no items": {Options{ControlPlaneID: "a", MaxConcurrentReconciles: -1}, negative},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := test.options.withDefaults()
			g.Expect(err).To(MatchError(test.want))
			server := newServer(t)
			_, err = New(Dependencies{
				Client: server, Live: server, Pool: newPool(t), Recorder: &events.FakeRecorder{}, Clock: testclock.NewFakePassiveClock(now),
			}, test.options)
			g.Expect(err).To(MatchError(test.want))
		})
	}
}

func TestNewNeedsItsDependencies(t *testing.T) {
	server := newServer(t)
	complete := Dependencies{
		Client: server, Live: server, Pool: newPool(t), Recorder: &events.FakeRecorder{}, Clock: testclock.NewFakePassiveClock(now),
	}
	for name, drop := range map[string]func(*Dependencies){
		"client":   func(d *Dependencies) { d.Client = nil },
		"live":     func(d *Dependencies) { d.Live = nil },
		"pool":     func(d *Dependencies) { d.Pool = nil },
		"recorder": func(d *Dependencies) { d.Recorder = nil },
		"clock":    func(d *Dependencies) { d.Clock = nil },
	} {
		t.Run(name, func(t *testing.T) {
			d := complete
			drop(&d)
			_, err := New(d, Options{ControlPlaneID: "a"})
			NewWithT(t).Expect(err).To(MatchError("registration controller: Client, Live, Pool, Recorder and Clock must be set"))
		})
	}
	g := NewWithT(t)
	r, err := New(complete, Options{ControlPlaneID: "a"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.random()).To(And(BeNumerically(">=", 0), BeNumerically("<", 1)))
	g.Expect(r.objects.Owner()).To(Equal("ccluster-go-registration"))
	g.Expect(r.status.Owner()).To(Equal("ccluster-go-registration"))
	g.Expect(r.finalizers.Owner()).To(Equal("ccluster-go-registration-finalizer"))
}

func TestInClusterAllowed(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		want    bool
	}{
		"off":                 {Options{}, false},
		"off, with a list":    {Options{InClusterNamespaces: []string{"team"}}, false},
		"on":                  {Options{AllowInCluster: true}, true},
		"on, in this":         {Options{AllowInCluster: true, InClusterNamespaces: []string{"other", "team"}}, true},
		"on, in another only": {Options{AllowInCluster: true, InClusterNamespaces: []string{"other"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(test.options.inClusterAllowed("team")).To(Equal(test.want))
		})
	}
}
