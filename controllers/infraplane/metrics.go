// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import "github.com/prometheus/client_golang/prometheus"

// Metrics are what the controller tells a monitoring system. A series of a plane ends with it.
type Metrics struct {
	memory    *memory
	orphaned  prometheus.Counter
	available *prometheus.Desc
}

// NewMetrics returns metrics to be registered, and to be given to New in Dependencies.
func NewMetrics() *Metrics {
	return &Metrics{
		orphaned: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ccluster_orphaned_applications_total",
			Help: "Applications that outlived their infra plane, so that nobody removes what they have deployed.",
		}),
		available: prometheus.NewDesc("ccluster_infra_plane_available",
			"1 for a CCLInfraPlane that is Available, 0 for one that is not, with the reason.",
			[]string{"namespace", "name", "reason"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	m.orphaned.Describe(ch)
	ch <- m.available
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	m.orphaned.Collect(ch)
	if m.memory == nil {
		return
	}
	for _, s := range m.memory.states() {
		value := 0.0
		if s.available {
			value = 1
		}
		ch <- prometheus.MustNewConstMetric(m.available, prometheus.GaugeValue, value, s.key.Namespace, s.key.Name, s.reason)
	}
}
