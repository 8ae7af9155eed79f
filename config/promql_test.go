// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/sets"
)

// promQL judges expressions: that they are PromQL, and that there can be an answer. The parser
// takes a larger language, MetricsQL, and comes with three small modules where Prometheus's own
// would bring forty and newer releases of half of ours; so what is not PromQL is refused here.
// Only what our expressions use is known: add to it what Prometheus has too.
type promQL struct {
	metrics map[string]metric
	// values are what a label that is matched can have.
	values map[string][]string
	// names are the metrics that were asked for.
	names sets.Set[string]
}

// result is what an expression comes to.
type result struct {
	scalar bool
	labels sets.Set[string]
}

func (p promQL) check(text string) (result, error) {
	expr, err := metricsql.Parse(text)
	if err != nil {
		return result{}, err
	}
	return p.walk(expr)
}

func (p promQL) walk(expr metricsql.Expr) (result, error) {
	switch e := expr.(type) {
	case *metricsql.NumberExpr:
		return result{scalar: true}, nil
	case *metricsql.MetricExpr:
		m, err := p.selector(e)
		return result{labels: m.labels}, err
	case *metricsql.RollupExpr:
		selector, ok := e.Expr.(*metricsql.MetricExpr)
		if !ok || e.Window != nil || e.Offset == nil || e.ForSubquery() || e.At != nil {
			return result{}, fmt.Errorf("%s: a range that no function asks for", e.AppendString(nil))
		}
		return p.walk(selector)
	case *metricsql.FuncExpr:
		return p.function(e)
	case *metricsql.AggrFuncExpr:
		return p.aggregation(e)
	case *metricsql.BinaryOpExpr:
		return p.operation(e)
	}
	return result{}, fmt.Errorf("%s: not known here", expr.AppendString(nil))
}

func (p promQL) selector(e *metricsql.MetricExpr) (metric, error) {
	text := string(e.AppendString(nil))
	if len(e.LabelFilterss) != 1 {
		return metric{}, fmt.Errorf("%s: alternatives", text)
	}
	name := e.LabelFilterss[0][0]
	m, ok := p.metrics[name.Value]
	if name.Label != "__name__" || name.IsRegexp || name.IsNegative || !ok {
		return metric{}, fmt.Errorf("%s: no such metric", text)
	}
	for _, filter := range e.LabelFilterss[0][1:] {
		if !m.labels.Has(filter.Label) {
			return metric{}, fmt.Errorf("%s: no label %s", text, filter.Label)
		}
		values := []string{filter.Value}
		if filter.IsRegexp {
			values = strings.Split(filter.Value, "|")
		}
		for _, value := range values {
			if !slices.Contains(p.values[filter.Label], value) {
				return metric{}, fmt.Errorf("%s: %s is never %q", text, filter.Label, value)
			}
		}
	}
	p.names.Insert(name.Value)
	return m, nil
}

// overRange has the functions of a range, and the kind of metric that each makes sense of.
var overRange = map[string]string{"rate": "counter", "increase": "counter", "max_over_time": "gauge"}

func (p promQL) function(e *metricsql.FuncExpr) (result, error) {
	if e.KeepMetricNames {
		return result{}, errors.New("keep_metric_names is not PromQL")
	}
	if kind, ok := overRange[e.Name]; ok {
		return p.ranged(e, kind)
	}
	arguments := make([]result, len(e.Args))
	for i, argument := range e.Args {
		var err error
		if arguments[i], err = p.walk(argument); err != nil {
			return result{}, err
		}
	}
	// The last argument is the one that the function is of, in all of these.
	want := map[string]int{"absent": 1, "histogram_quantile": 2, "scalar": 1, "sort": 1, "vector": 1}[e.Name]
	if want == 0 || len(arguments) != want {
		return result{}, fmt.Errorf("%s: not known here with %d arguments", e.Name, len(arguments))
	}
	of := arguments[want-1]
	if of.scalar != (e.Name == "vector") {
		return result{}, fmt.Errorf("%s: of a scalar where it needs a vector, or the reverse", e.Name)
	}
	switch e.Name {
	case "absent", "vector":
		return result{}, nil
	case "scalar":
		return result{scalar: true}, nil
	case "histogram_quantile":
		if !arguments[0].scalar || !of.labels.Has("le") {
			return result{}, errors.New("histogram_quantile: of no number or of no buckets")
		}
		return result{labels: of.labels.Clone().Delete("le")}, nil
	}
	return of, nil
}

// ranged judges a function of a range of one metric.
func (p promQL) ranged(e *metricsql.FuncExpr, kind string) (result, error) {
	if len(e.Args) != 1 {
		return result{}, fmt.Errorf("%s: of %d arguments", e.Name, len(e.Args))
	}
	span, ok := e.Args[0].(*metricsql.RollupExpr)
	if !ok || span.Window == nil || span.ForSubquery() || span.At != nil {
		return result{}, fmt.Errorf("%s: without a range", e.Name)
	}
	of, ok := span.Expr.(*metricsql.MetricExpr)
	if !ok {
		return result{}, fmt.Errorf("%s: of something else than a metric", e.Name)
	}
	m, err := p.selector(of)
	if err == nil && m.kind != kind {
		err = fmt.Errorf("%s: of a %s, it is for a %s", e.Name, m.kind, kind)
	}
	return result{labels: m.labels}, err
}

func (p promQL) aggregation(e *metricsql.AggrFuncExpr) (result, error) {
	if !slices.Contains([]string{"count", "max", "sum"}, e.Name) || len(e.Args) != 1 || e.Limit != 0 || (e.Modifier.Op != "" && e.Modifier.Op != "by") {
		return result{}, fmt.Errorf("%s: not known here", e.AppendString(nil))
	}
	of, err := p.walk(e.Args[0])
	if err != nil {
		return result{}, err
	}
	by := sets.New(e.Modifier.Args...)
	if of.scalar || !of.labels.IsSuperset(by) {
		return result{}, fmt.Errorf("%s: what it is of has labels %q", e.AppendString(nil), sets.List(of.labels))
	}
	return result{labels: by}, nil
}

var (
	setOperators   = []string{"and", "or", "unless"}
	valueOperators = []string{"==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/"}
)

// operation judges an operator. Two vectors must have the same labels, or name those that count:
// otherwise nothing would ever match.
func (p promQL) operation(e *metricsql.BinaryOpExpr) (result, error) {
	text := string(e.AppendString(nil))
	ofSets := slices.Contains(setOperators, e.Op)
	plain := !e.Bool && e.JoinModifier.Op == "" && !e.KeepMetricNames && e.FillLeft == nil && e.FillRight == nil
	if !plain || !ofSets && !slices.Contains(valueOperators, e.Op) || e.GroupModifier.Op != "" && e.GroupModifier.Op != "on" {
		return result{}, fmt.Errorf("%s: not known here", text)
	}
	left, err := p.walk(e.Left)
	if err != nil {
		return result{}, err
	}
	right, err := p.walk(e.Right)
	if err != nil {
		return result{}, err
	}
	on := sets.New(e.GroupModifier.Args...)
	switch {
	case (left.scalar || right.scalar) && (ofSets || e.GroupModifier.Op != ""):
		return result{}, fmt.Errorf("%s: a scalar where it needs a vector", text)
	case left.scalar:
		return right, nil
	case right.scalar:
		return left, nil
	case e.GroupModifier.Op == "" && !left.labels.Equal(right.labels), !left.labels.IsSuperset(on), !right.labels.IsSuperset(on):
		return result{}, fmt.Errorf("%s: labels %q and %q do not match", text, sets.List(left.labels), sets.List(right.labels))
	case ofSets || e.GroupModifier.Op == "":
		return left, nil
	}
	return result{labels: on}, nil
}

func TestOnlyExpressionsThatCanHaveAnAnswerAreAccepted(t *testing.T) {
	p := promQL{
		metrics: map[string]metric{
			"requests_total": {"counter", sets.New("job", "code")}, "seconds_bucket": {"counter", sets.New("job", "le")},
			"depth": {"gauge", sets.New("job", "name")},
		},
		values: map[string][]string{"job": {"a", "b"}},
		names:  sets.New[string](),
	}
	for _, accepted := range []struct {
		expr   string
		labels []string
	}{
		{`depth{job="a"} offset 5m > 1`, []string{"job", "name"}},
		{`sum by (code) (rate(requests_total{job=~"a|b"}[5m])) / scalar(sum(depth))`, []string{"code"}},
		{`histogram_quantile(0.9, sum by (job, le) (rate(seconds_bucket[5m])))`, []string{"job"}},
		{`depth unless on (job) sum by (job) (increase(requests_total[5m])) > 2`, []string{"job", "name"}},
		{`sum(depth) or vector(0)`, []string{}},
		{`sort(max by (name) (max_over_time(depth[1d])))`, []string{"name"}},
		{`absent(depth == 1)`, []string{}},
	} {
		got, err := p.check(accepted.expr)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), accepted.expr)
		NewWithT(t).Expect(got.scalar).To(BeFalse(), accepted.expr)
		NewWithT(t).Expect(sets.List(got.labels)).To(Equal(accepted.labels), accepted.expr)
	}
	for expr, message := range map[string]string{
		`sum(depth`:                                    "unparsed data",
		`dept`:                                         "no such metric",
		`seconds`:                                      "no such metric",
		`{job="a"}`:                                    "no such metric",
		`depth{code="1"}`:                              "no label code",
		`depth{job="c"}`:                               `job is never "c"`,
		`depth{job!~"a|c"}`:                            `job is never "c"`,
		`depth{job="a" or name="b"}`:                   "alternatives",
		`depth[5m]`:                                    "no function asks for",
		`rate(requests_total)`:                         "without a range",
		`rate(requests_total[5m:1m])`:                  "without a range",
		`rate(sum(requests_total)[5m])`:                "something else than a metric",
		`rate(depth[5m])`:                              "of a gauge",
		`max_over_time(requests_total[5m])`:            "of a counter",
		`range_median(depth)`:                          "not known here",
		`sort(depth) keep_metric_names`:                "not PromQL",
		`sum by (code) (depth)`:                        `has labels ["job" "name"]`,
		`sum without (job) (depth)`:                    "not known here",
		`sum(depth) by (name) limit 2`:                 "not known here",
		`histogram_quantile(0.9, sum(depth))`:          "of no buckets",
		`scalar(1)`:                                    "of a scalar",
		`vector(depth)`:                                "of a scalar",
		`depth default 1`:                              "not known here",
		`depth and 1`:                                  "needs a vector",
		`depth and requests_total`:                     "do not match",
		`depth and on (code) requests_total`:           "do not match",
		`depth * on (job) group_left depth`:            "not known here",
		`sum by (job) (depth) > max by (name) (depth)`: "do not match",
	} {
		_, err := p.check(expr)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(message)), expr)
	}
}
