// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/yaml"

	"github.com/ccluster-go/ccluster-go/controllers/infraplane"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
)

// alert is one rule of the PrometheusRule.
type alert struct {
	Alert, Expr         string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile("prometheus/rules.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var file struct {
		Spec struct {
			Groups []struct {
				Name  string
				Rules []alert
			}
		}
	}
	g.Expect(yaml.UnmarshalStrict(content, &struct {
		APIVersion, Kind string
		Metadata         map[string]string
		Spec             any
	}{})).To(Succeed())
	g.Expect(yaml.Unmarshal(content, &file)).To(Succeed())
	var all []alert
	for _, group := range file.Spec.Groups {
		all = append(all, group.Rules...)
	}
	g.Expect(len(all)).To(BeNumerically(">", 8))
	return all
}

// panel is one of the dashboard.
type panel struct {
	ID      int
	Title   string
	Targets []struct{ Expr string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	content, err := os.ReadFile("prometheus/ccluster.json")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var board struct{ Panels []panel }
	NewWithT(t).Expect(json.Unmarshal(content, &board)).To(Succeed())
	NewWithT(t).Expect(len(board.Panels)).To(BeNumerically(">", 10))
	return board.Panels
}

var description = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

// exposed are the manager's metrics and their labels. Histograms have three names.
func exposed(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	described := make(chan *prometheus.Desc, 1000)
	registration.NewMetrics().Describe(described)
	infraplane.NewMetrics().Describe(described)
	all, ok := metrics.Registry.(*prometheus.Registry)
	NewWithT(t).Expect(ok).To(BeTrue())
	all.Describe(described)
	close(described)
	for d := range described {
		parts := description.FindStringSubmatch(d.String())
		if parts == nil {
			continue
		}
		labels := strings.Split(parts[2], ",")
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			found[parts[1]+suffix] = append(slices.Clone(labels), "le")
		}
	}
	NewWithT(t).Expect(found).To(HaveKeyWithValue("ccluster_registration_ready", ContainElement("reason")))
	return found
}

var (
	metricName = regexp.MustCompile(`\b(?:ccluster|controller_runtime|workqueue)_[a-z_]+`)
	grouping   = regexp.MustCompile(`\bby \(([^)]*)\)`)
	matcher    = regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
)

// check compares the names in an expression with what is exposed, and returns the metrics.
func check(t *testing.T, known map[string][]string, where, expr string) []string {
	t.Helper()
	g := NewWithT(t)
	names := metricName.FindAllString(expr, -1)
	g.Expect(names).NotTo(BeEmpty(), where)
	var labels []string
	for _, name := range names {
		g.Expect(known).To(HaveKey(name), where)
		labels = append(labels, known[name]...)
	}
	for _, list := range grouping.FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(list[1], ",") {
			g.Expect(labels).To(ContainElement(strings.TrimSpace(label)), where)
		}
	}
	for _, match := range matcher.FindAllStringSubmatch(expr, -1) {
		g.Expect(labels).To(ContainElement(match[1]), where)
	}
	g.Expect(strings.Count(expr, "(")).To(Equal(strings.Count(expr, ")")), where)
	return names
}

func TestAlertsAreAboutMetricsThatExist(t *testing.T) {
	g := NewWithT(t)
	known := exposed(t)
	seen := map[string]bool{}
	anchor := regexp.MustCompile(`^docs/([a-z]+\.md)#([a-z-]+)$`)
	for _, a := range alerts(t) {
		check(t, known, a.Alert, a.Expr)
		g.Expect(seen).NotTo(HaveKey(a.Alert))
		seen[a.Alert] = true
		g.Expect(a.Labels["severity"]).To(BeElementOf("warning", "critical"), a.Alert)
		g.Expect(a.Annotations).To(And(HaveKey("summary"), HaveKey("description")), a.Alert)
		page := anchor.FindStringSubmatch(a.Annotations["runbook"])
		g.Expect(page).To(HaveLen(3), a.Alert)
		content, err := os.ReadFile("../docs/" + page[1])
		g.Expect(err).NotTo(HaveOccurred(), a.Alert)
		var anchors []string
		for line := range strings.Lines(string(content)) {
			if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
				anchors = append(anchors, strings.ReplaceAll(strings.ToLower(strings.Trim(heading, "` \n")), " ", "-"))
			}
		}
		g.Expect(anchors).To(ContainElement(page[2]), a.Alert)
	}
}

func TestTheDashboardShowsMetricsThatExistAndAllOfOurs(t *testing.T) {
	g := NewWithT(t)
	known := exposed(t)
	shown, ids := map[string]bool{}, map[int]bool{}
	for _, p := range panels(t) {
		g.Expect(ids).NotTo(HaveKey(p.ID), p.Title)
		ids[p.ID] = true
		g.Expect(p.Targets).NotTo(BeEmpty(), p.Title)
		for _, target := range p.Targets {
			for _, name := range check(t, known, p.Title, target.Expr) {
				shown[strings.TrimSuffix(name, "_bucket")] = true
			}
		}
	}
	for name := range known {
		if strings.HasPrefix(name, "ccluster_") && !strings.HasSuffix(name, "_bucket") && !strings.HasSuffix(name, "_sum") && !strings.HasSuffix(name, "_count") {
			g.Expect(shown).To(HaveKey(name))
		}
	}
}

func TestAMisspeltMetricIsFound(t *testing.T) {
	g := NewWithT(t)
	known := exposed(t)
	g.Expect(known).NotTo(HaveKey("ccluster_registration_redy"))
	g.Expect(metricName.FindAllString(`sum by (reason) (ccluster_registration_redy{name=~"a"})`, -1)).To(Equal([]string{"ccluster_registration_redy"}))
}
