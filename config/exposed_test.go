// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"context"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/ccluster-go/ccluster-go/controllers/infraplane"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/manager"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// metric is what can be asked for under one name.
type metric struct {
	// kind is counter or gauge; the parts of a histogram are counters.
	kind   string
	labels sets.Set[string]
}

// targetLabels are what Prometheus adds to each series that a ServiceMonitor makes it scrape.
var targetLabels = sets.New("job", "instance", "namespace", "pod", "service", "container", "endpoint")

// documentedMetric is a row of a page's table.
type documentedMetric struct {
	kind   string
	labels []string
}

var (
	metricRow  = regexp.MustCompile("^\\| `([a-z_]+)` \\| ([a-z]+) \\|([^|]*)\\|")
	quotedName = regexp.MustCompile("`([a-z_]+)`")
)

// documentedMetrics are those that the pages list below "## Metrics".
func documentedMetrics(t *testing.T) map[string]documentedMetric {
	t.Helper()
	found := map[string]documentedMetric{}
	for _, page := range []string{"../docs/clusterregistration.md", "../docs/cclinfraplane.md"} {
		content, err := os.ReadFile(page)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		_, section, ok := strings.Cut(string(content), "\n## Metrics\n")
		NewWithT(t).Expect(ok).To(BeTrue(), page)
		section, _, _ = strings.Cut(section, "\n## ")
		for line := range strings.Lines(section) {
			cells := metricRow.FindStringSubmatch(line)
			if cells == nil {
				continue
			}
			row := documentedMetric{kind: cells[2]}
			// What follows a colon are values.
			names, _, _ := strings.Cut(cells[3], ":")
			for _, name := range quotedName.FindAllStringSubmatch(names, -1) {
				row.labels = append(row.labels, name[1])
			}
			found[cells[1]] = row
		}
	}
	return found
}

var description = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

// describedMetrics are what our own collectors say that they may have, with the labels.
func describedMetrics(t *testing.T, collectors ...prometheus.Collector) map[string][]string {
	t.Helper()
	descriptions := make(chan *prometheus.Desc, 100)
	for _, c := range collectors {
		c.Describe(descriptions)
	}
	close(descriptions)
	found := map[string][]string{}
	for d := range descriptions {
		parts := description.FindStringSubmatch(d.String())
		NewWithT(t).Expect(parts).To(HaveLen(3), d.String())
		found[parts[1]] = strings.FieldsFunc(parts[2], func(r rune) bool { return r == ',' })
	}
	return found
}

// exposed has what the manager exposes, and up, which every scrape makes. What has no series
// before there are objects is there by its description.
func exposed(t *testing.T) map[string]metric {
	t.Helper()
	g := NewWithT(t)
	requests, planes := registration.NewMetrics(), infraplane.NewMetrics()
	for _, c := range []prometheus.Collector{requests, planes} {
		g.Expect(metrics.Registry.Register(c)).To(Succeed())
		t.Cleanup(func() { metrics.Registry.Unregister(c) })
	}
	requests.Observe("get secrets", 0.1, remote.Unauthorized)
	for _, name := range manager.DefaultOptions().Controllers {
		runOnce(t, name)
	}
	standForElection(t)

	families, err := metrics.Registry.Gather()
	g.Expect(err).NotTo(HaveOccurred())
	found := map[string]metric{"up": {kind: "gauge", labels: targetLabels}}
	for _, family := range families {
		labels := targetLabels.Clone()
		for _, series := range family.GetMetric() {
			for _, pair := range series.GetLabel() {
				labels.Insert(pair.GetName())
			}
		}
		name, kind := family.GetName(), strings.ToLower(family.GetType().String())
		if kind != "histogram" {
			found[name] = metric{kind: kind, labels: labels}
			continue
		}
		found[name+"_sum"] = metric{kind: "counter", labels: labels}
		found[name+"_count"] = metric{kind: "counter", labels: labels}
		found[name+"_bucket"] = metric{kind: "counter", labels: labels.Clone().Insert("le")}
	}
	documented := documentedMetrics(t)
	for name, labels := range describedMetrics(t, requests, planes) {
		if kind := documented[name].kind; kind != "histogram" {
			found[name] = metric{kind: kind, labels: targetLabels.Clone().Insert(labels...)}
		}
	}
	return found
}

// runOnce has a controller of the given name do one pass over nothing.
func runOnce(t *testing.T, name string) {
	t.Helper()
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, err := controller.NewUnmanaged(name, controller.Options{
		SkipNameValidation: new(true),
		Reconciler: reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			cancel()
			return reconcile.Result{}, nil
		}),
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Watch(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		queue.Add(reconcile.Request{})
		return nil
	}))).To(Succeed())
	g.Expect(c.Start(ctx)).To(Succeed())
}

// standForElection makes a candidate of the manager's Lease, who never gets it.
func standForElection(t *testing.T) {
	t.Helper()
	_, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name: manager.LeaseName, Lock: &resourcelock.LeaseLock{LockConfig: resourcelock.ResourceLockConfig{Identity: "test"}},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
	})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func TestDocumentedMetricsAreThoseOfTheCode(t *testing.T) {
	g := NewWithT(t)
	documented := documentedMetrics(t)
	described := describedMetrics(t, registration.NewMetrics(), infraplane.NewMetrics())
	g.Expect(slices.Collect(maps.Keys(documented))).To(ConsistOf(slices.Collect(maps.Keys(described))))
	for name, row := range documented {
		g.Expect(row.labels).To(ConsistOf(described[name]), name)
		g.Expect(row.kind).To(BeElementOf("counter", "gauge", "histogram"), name)
	}
}

func TestWhatIsExposed(t *testing.T) {
	g := NewWithT(t)
	known := exposed(t)
	for name, want := range map[string]metric{
		"ccluster_registration_ready":                   {"gauge", sets.New("namespace", "name", "reason")},
		"ccluster_token_rotations_total":                {"counter", sets.New("result")},
		"ccluster_plane_request_errors_total":           {"counter", sets.New("kind")},
		"ccluster_plane_request_duration_seconds_count": {"counter", sets.New("operation")},
		"controller_runtime_reconcile_time_seconds_sum": {"counter", sets.New("controller")},
		"workqueue_queue_duration_seconds_bucket":       {"counter", sets.New("name", "controller", "le")},
		"leader_election_master_status":                 {"gauge", sets.New("name")},
	} {
		g.Expect(known).To(HaveKeyWithValue(name, metric{want.kind, want.labels.Union(targetLabels)}))
	}
	// Neither the whole of a histogram nor parts of a counter are series, and one is not registered.
	for _, name := range []string{
		"ccluster_plane_request_duration_seconds", "ccluster_token_rotations_total_count",
		"ccluster_registration_ready_bucket", "leader_election_slowpath_total",
	} {
		g.Expect(known).NotTo(HaveKey(name))
	}
}
