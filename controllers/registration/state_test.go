// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// gauges are the samples of registrations that a registry hands out, which checks that the
// collector describes what it collects.
func gauges(t *testing.T, m *Metrics) []string {
	t.Helper()
	g := NewWithT(t)
	registry := prometheus.NewPedanticRegistry()
	g.Expect(registry.Register(m)).To(Succeed())
	families, err := registry.Gather()
	g.Expect(err).NotTo(HaveOccurred())
	all := []string{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if !strings.HasPrefix(family.GetName(), "ccluster_registration_") {
				continue
			}
			var labels []string
			for _, l := range metric.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			all = append(all, fmt.Sprintf("%s{%s} %v", family.GetName(), strings.Join(labels, ","), metric.GetGauge().GetValue()))
		}
	}
	slices.Sort(all)
	return all
}

// What monitoring sees of a registration is what its status says.
func TestTheStateIsTheStatus(t *testing.T) {
	g := NewWithT(t)
	r, s := newScope(t, newReg())
	g.Expect(gauges(t, r.metrics)).To(BeEmpty())

	g.Expect(s.no(v1alpha1.ConditionReady, &problem{reason: v1alpha1.ReasonConnectionFailed})).NotTo(Succeed())
	r.memory.report(stateOf(s))
	g.Expect(gauges(t, r.metrics)).To(Equal([]string{"ccluster_registration_ready{name=edge-1,namespace=team,reason=ConnectionFailed} 0"}))

	s.conds.Set(v1alpha1.ConditionReady, "Unknown", v1alpha1.ReasonSuspended, "")
	r.memory.report(stateOf(s))
	g.Expect(gauges(t, r.metrics)).To(Equal([]string{"ccluster_registration_ready{name=edge-1,namespace=team,reason=Suspended} 0"}))

	s.yes(v1alpha1.ConditionReady, v1alpha1.ReasonReady, "")
	s.report.token.ExpiresAt = seconds(now.Add(time.Hour))
	r.memory.report(stateOf(s))
	g.Expect(gauges(t, r.metrics)).To(Equal([]string{
		"ccluster_registration_ready{name=edge-1,namespace=team,reason=Ready} 1",
		"ccluster_registration_token_expiry_seconds{name=edge-1,namespace=team} 3600",
	}))
}
