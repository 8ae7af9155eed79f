// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// Metrics are what the controller tells a monitoring system. Series of a registration end
// with it.
type Metrics struct {
	rotations   *prometheus.CounterVec
	leftovers   prometheus.Counter
	requests    *prometheus.HistogramVec
	errors      *prometheus.CounterVec
	memory      *memory
	now         func() time.Time
	ready       *prometheus.Desc
	tokenExpiry *prometheus.Desc
}

// NewMetrics returns metrics to be registered, and to be given to New in Dependencies.
func NewMetrics() *Metrics {
	of := []string{"namespace", "name"}
	return &Metrics{
		rotations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ccluster_token_rotations_total",
			Help: "Tokens issued for a registration, by result: success or failure.",
		}, []string{"result"}),
		leftovers: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "ccluster_revocation_leftovers_total",
			Help: "Objects left on infra planes that could not be cleaned up, or whose removal could not be seen.",
		}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "ccluster_plane_request_duration_seconds",
			Help:    "Time of requests to infra planes, by operation.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}, []string{"operation"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ccluster_plane_request_errors_total",
			Help: "Failed requests to infra planes, by kind of failure.",
		}, []string{"kind"}),
		ready: prometheus.NewDesc("ccluster_registration_ready",
			"1 for a registration that is Ready, 0 for one that is not, with the reason.",
			append(of, "reason"), nil),
		tokenExpiry: prometheus.NewDesc("ccluster_registration_token_expiry_seconds",
			"Seconds until the stored token expires. Absent for tokens without expiry.", of, nil),
	}
}

// Observe counts a request to an infra plane; it is for remote.WithObserver.
func (m *Metrics) Observe(operation string, seconds float64, kind remote.Kind) {
	m.requests.WithLabelValues(operation).Observe(seconds)
	if kind != remote.None {
		m.errors.WithLabelValues(string(kind)).Inc()
	}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) {
	m.rotations.Describe(ch)
	m.leftovers.Describe(ch)
	m.requests.Describe(ch)
	m.errors.Describe(ch)
	ch <- m.ready
	ch <- m.tokenExpiry
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	m.rotations.Collect(ch)
	m.leftovers.Collect(ch)
	m.requests.Collect(ch)
	m.errors.Collect(ch)
	if m.memory == nil {
		return
	}
	for _, s := range m.memory.states() {
		value := 0.0
		if s.ready {
			value = 1
		}
		ch <- prometheus.MustNewConstMetric(m.ready, prometheus.GaugeValue, value, s.key.Namespace, s.key.Name, s.reason)
		if !s.expires.IsZero() {
			ch <- prometheus.MustNewConstMetric(m.tokenExpiry, prometheus.GaugeValue,
				s.expires.Sub(m.now()).Seconds(), s.key.Namespace, s.key.Name)
		}
	}
}

func (m *Metrics) rotated(err error) {
	result := "success"
	if err != nil {
		result = "failure"
	}
	m.rotations.WithLabelValues(result).Inc()
}

// stateOf is what is told of a registration.
func stateOf(s *scope) state {
	ready := s.conds.Get(v1alpha1.ConditionReady)
	return state{key: s.key, ready: ready.Status == "True", reason: ready.Reason, expires: s.report.token.ExpiresAt.Time}
}
