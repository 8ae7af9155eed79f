// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"text/template"
	"time"

	. "github.com/onsi/gomega"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/manager"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// monitoring reads an object of the Prometheus Operator that is rendered, and refuses fields that
// its kind does not have.
func monitoring(t *testing.T, kind string, into client.Object) {
	t.Helper()
	g := NewWithT(t)
	found := 0
	for _, o := range all[*unstructured.Unstructured](render(t, "prometheus")) {
		if o.GetKind() != kind {
			continue
		}
		found++
		text, err := o.MarshalJSON()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(yaml.UnmarshalStrict(text, into)).To(Succeed())
	}
	g.Expect(found).To(Equal(1), kind)
	g.Expect(into.GetObjectKind().GroupVersionKind()).To(Equal(monitoringv1.SchemeGroupVersion.WithKind(kind)))
	g.Expect(into.GetNamespace()).To(Equal(systemNamespace))
}

func alerts(t *testing.T) []monitoringv1.Rule {
	t.Helper()
	var rules monitoringv1.PrometheusRule
	monitoring(t, monitoringv1.PrometheusRuleKind, &rules)
	var found []monitoringv1.Rule
	for _, group := range rules.Spec.Groups {
		found = append(found, group.Rules...)
	}
	NewWithT(t).Expect(len(found)).To(BeNumerically(">", 8))
	return found
}

// panel is one of the dashboard.
type panel struct {
	ID         int
	Title      string
	Datasource struct{ Type, UID string }
	GridPos    struct{ X, Y, W, H int }
	Targets    []struct{ RefID, Expr, LegendFormat string }
}

func panels(t *testing.T) []panel {
	t.Helper()
	g := NewWithT(t)
	dashboard := one[*corev1.ConfigMap](t, render(t, "prometheus"), "ccluster-dashboard")
	g.Expect(dashboard.Namespace).To(Equal(systemNamespace))
	g.Expect(dashboard.Labels).To(HaveKeyWithValue("grafana_dashboard", "1"))
	var board struct {
		UID        string
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
		Panels []panel
	}
	g.Expect(json.Unmarshal([]byte(dashboard.Data["ccluster.json"]), &board)).To(Succeed())
	g.Expect(board.UID).NotTo(BeEmpty())
	g.Expect(board.Templating.List).To(HaveLen(1))
	g.Expect(board.Templating.List[0]).To(And(HaveField("Name", "datasource"), HaveField("Query", "prometheus")))
	g.Expect(len(board.Panels)).To(BeNumerically(">", 10))
	return board.Panels
}

// whatIsScraped knows what the manager exposes, as the ServiceMonitor has it.
func whatIsScraped(t *testing.T) promQL {
	t.Helper()
	kinds := []remote.Kind{remote.NotFound, remote.AlreadyExists, remote.Conflict, remote.Canceled, remote.ConnectionClosed}
	p := promQL{metrics: exposed(t), names: sets.New[string](), values: map[string][]string{
		"job":    {one[*corev1.Service](t, render(t, "default"), "ccluster-metrics").Name},
		"name":   {manager.LeaseName},
		"reason": {v1alpha1.ReasonSuspended, v1alpha1.ReasonDraining},
		"result": {"success", "failure"},
	}}
	for _, kind := range kinds {
		p.values["kind"] = append(p.values["kind"], string(kind))
	}
	return p
}

// expressions are those of all alerts and panels, Grafana's variables filled in.
func expressions(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, a := range alerts(t) {
		found = append(found, a.Expr.String())
	}
	for _, p := range panels(t) {
		for _, target := range p.Targets {
			found = append(found, filledIn(target.Expr))
		}
	}
	return found
}

func filledIn(expr string) string { return strings.ReplaceAll(expr, "$__rate_interval", "2m") }

func TestPrometheusScrapesTheManager(t *testing.T) {
	g := NewWithT(t)
	var monitor monitoringv1.ServiceMonitor
	monitoring(t, monitoringv1.ServiceMonitorsKind, &monitor)
	service := one[*corev1.Service](t, render(t, "default"), "ccluster-metrics")
	g.Expect(monitor.Namespace).To(Equal(service.Namespace))
	g.Expect(monitor.Spec.NamespaceSelector).To(BeZero())
	g.Expect(monitor.Spec.Selector.MatchExpressions).To(BeEmpty())
	g.Expect(monitor.Spec.Selector.MatchLabels).NotTo(BeEmpty())
	g.Expect(labels.SelectorFromSet(monitor.Spec.Selector.MatchLabels).Matches(labels.Set(service.Labels))).To(BeTrue())
	g.Expect(monitor.Spec.JobLabel).To(BeEmpty(), "the job is called as the Service")

	g.Expect(monitor.Spec.Endpoints).To(HaveLen(1))
	endpoint := monitor.Spec.Endpoints[0]
	g.Expect(endpoint.Port).To(Equal(service.Spec.Ports[0].Name))
	g.Expect(endpoint.Path).To(Equal("/metrics"))
	g.Expect(options(t, "default").MetricsInsecure).To(BeFalse())
	g.Expect(endpoint.Scheme).To(HaveValue(BeEquivalentTo("https")))
	g.Expect(endpoint.BearerTokenFile). //nolint:staticcheck // The only way that needs no Secret.
						To(Equal("/var/run/secrets/kubernetes.io/serviceaccount/token"))
	g.Expect(endpoint.TLSConfig.InsecureSkipVerify).To(HaveValue(BeTrue()))
	g.Expect(endpoint.HonorLabels).To(BeTrue(), "metrics have a label namespace, which would be renamed")
}

func TestTheServiceMonitorSaysWhatItNeeds(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile("prometheus/service_monitor.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	reader := one[*rbacv1.ClusterRole](t, render(t, "default"), "ccluster-metrics-reader")
	g.Expect(reader.Rules).To(Equal([]rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}))
	g.Expect(string(content)).To(ContainSubstring("--clusterrole=" + reader.Name))
	policy := one[*networkingv1.NetworkPolicy](t, render(t, "network-policy"), "ccluster-manager")
	from := policy.Spec.Ingress[0].From[0].NamespaceSelector.MatchLabels
	g.Expect(from).NotTo(BeEmpty())
	g.Expect(string(content)).To(ContainSubstring("kubectl label namespace <namespace> " + labels.FormatLabels(from)))
}

func TestAlertsAreAboutWhatIsScraped(t *testing.T) {
	p := whatIsScraped(t)
	seen := sets.New[string]()
	for _, a := range alerts(t) {
		t.Run(a.Alert, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(a.Record).To(BeEmpty())
			g.Expect(seen.Has(a.Alert)).To(BeFalse())
			seen.Insert(a.Alert)
			of, err := p.check(a.Expr.String())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(of.scalar).To(BeFalse())
			if a.For != nil {
				_, err := time.ParseDuration(string(*a.For))
				g.Expect(err).NotTo(HaveOccurred())
			}
			g.Expect(a.Labels).To(HaveLen(1))
			g.Expect(a.Labels["severity"]).To(BeElementOf("warning", "critical"))
			g.Expect(a.Annotations).To(HaveLen(3))
			for _, name := range []string{"summary", "description"} {
				g.Expect(a.Annotations[name]).NotTo(BeEmpty(), name)
				g.Expect(filledTemplate(a.Annotations[name], of.labels)).To(Succeed(), name)
			}
			g.Expect(headings(t, a.Annotations["runbook"])).To(BeTrue(), a.Annotations["runbook"])
		})
	}
}

// filledTemplate fills an annotation in as Prometheus does, and fails for a label that the alert
// does not have.
func filledTemplate(text string, has sets.Set[string]) error {
	same := func(value float64) float64 { return value }
	parsed, err := template.New("").Option("missingkey=error").
		Funcs(template.FuncMap{"humanize": same, "humanizeDuration": same, "humanizePercentage": same}).
		Parse("{{$labels := .Labels}}{{$value := .Value}}" + text)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for label := range has {
		values[label] = "x"
	}
	return parsed.Execute(&strings.Builder{}, map[string]any{"Labels": values, "Value": 1.0})
}

var (
	runbook     = regexp.MustCompile(`^docs/([a-z]+\.md)#([a-z-]+)$`)
	heading     = regexp.MustCompile(`(?m)^##+ (.+)$`)
	punctuation = regexp.MustCompile("[^a-z0-9 -]")
)

// headings tells whether the page of a runbook has the heading that it points at.
func headings(t *testing.T, reference string) bool {
	t.Helper()
	g := NewWithT(t)
	parts := runbook.FindStringSubmatch(reference)
	g.Expect(parts).To(HaveLen(3), reference)
	content, err := os.ReadFile("../docs/" + parts[1])
	g.Expect(err).NotTo(HaveOccurred())
	for _, found := range heading.FindAllStringSubmatch(string(content), -1) {
		anchor := strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-")
		if anchor == parts[2] {
			return true
		}
	}
	return false
}

var legendLabel = regexp.MustCompile(`\{\{\s*([a-z_]+)\s*\}\}`)

func TestTheDashboardShowsWhatIsScraped(t *testing.T) {
	g := NewWithT(t)
	p := whatIsScraped(t)
	ids, titles := sets.New[int](), sets.New[string]()
	for _, panel := range panels(t) {
		g.Expect(panel.ID).To(BeNumerically(">", 0), panel.Title)
		g.Expect(ids.Has(panel.ID)).To(BeFalse(), panel.Title)
		g.Expect(titles.Has(panel.Title)).To(BeFalse(), panel.Title)
		ids.Insert(panel.ID)
		titles.Insert(panel.Title)
		g.Expect(panel.Datasource).To(Equal(struct{ Type, UID string }{"prometheus", "${datasource}"}), panel.Title)
		g.Expect(panel.Targets).NotTo(BeEmpty(), panel.Title)
		references := sets.New[string]()
		for _, target := range panel.Targets {
			references.Insert(target.RefID)
			of, err := p.check(filledIn(target.Expr))
			g.Expect(err).NotTo(HaveOccurred(), panel.Title)
			for _, label := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
				g.Expect(of.labels.Has(label[1])).To(BeTrue(), "%s: %s", panel.Title, label[1])
			}
		}
		g.Expect(references).To(HaveLen(len(panel.Targets)), panel.Title)
	}
	for name, documented := range documentedMetrics(t) {
		if documented.kind == "histogram" {
			name += "_bucket"
		}
		g.Expect(p.names.Has(name)).To(BeTrue(), "%s is in no panel", name)
	}
}

func TestPanelsDoNotCoverEachOther(t *testing.T) {
	g := NewWithT(t)
	type cell struct{ x, y int }
	taken := map[cell]string{}
	for _, panel := range panels(t) {
		at := panel.GridPos
		g.Expect([]int{at.W, at.H}).To(HaveEach(BeNumerically(">", 0)), panel.Title)
		g.Expect(at.X+at.W).To(BeNumerically("<=", 24), panel.Title)
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				g.Expect(taken).NotTo(HaveKey(cell{x, y}), panel.Title)
				taken[cell{x, y}] = panel.Title
			}
		}
	}
}

// All controller-runtime programs have these metrics, and a cluster has many of them.
func TestSharedMetricsAreAskedForOfTheManagerAlone(t *testing.T) {
	shared := regexp.MustCompile(`\b(?:up|(?:controller_runtime|workqueue|leader_election)_[a-z_]+)\b`)
	found := 0
	for _, expr := range expressions(t) {
		for _, at := range shared.FindAllStringIndex(expr, -1) {
			found++
			NewWithT(t).Expect(expr[at[1]:]).To(HavePrefix(`{job="ccluster-metrics"`), expr)
		}
	}
	NewWithT(t).Expect(found).To(BeNumerically(">", 8))
}

func TestAMetricThatIsMisspeltIsNoticedInEveryExpression(t *testing.T) {
	g := NewWithT(t)
	p := whatIsScraped(t)
	for _, expr := range expressions(t) {
		p.names = sets.New[string]()
		_, err := p.check(expr)
		g.Expect(err).NotTo(HaveOccurred(), expr)
		g.Expect(p.names).NotTo(BeEmpty(), expr)
		for name := range p.names.Clone() {
			misspelt := regexp.MustCompile(`\b`+name+`\b`).ReplaceAllLiteralString(expr, name+"s")
			_, err := p.check(misspelt)
			g.Expect(err).To(MatchError(And(ContainSubstring(name+"s"), ContainSubstring("no such metric"))), misspelt)
		}
	}
}
