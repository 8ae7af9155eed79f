// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const auditSample = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"w1","stage":"ResponseStarted","requestURI":"/api/v1/secrets?watch=true","verb":"watch","user":{"username":"kubernetes-admin","groups":["system:masters"]},"userAgent":"manager/v1","objectRef":{"resource":"secrets","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},"requestReceivedTimestamp":"2026-01-02T03:04:05.000006Z","stageTimestamp":"2026-01-02T03:04:05.1Z"}
{"auditID":"p1","stage":"ResponseComplete","requestURI":"/apis/apps/v1/namespaces/a/deployments/d/status","verb":"patch","user":{"username":"jane"},"impersonatedUser":{"username":"joe"},"userAgent":"tool/v2","objectRef":{"resource":"deployments","namespace":"a","name":"d","apiGroup":"apps","apiVersion":"v1","subresource":"status"},"responseStatus":{"code":409},"requestReceivedTimestamp":"2026-01-02T03:04:06Z"}
{"auditID":"w1","stage":"ResponseComplete","verb":"watch","userAgent":"manager/v1","objectRef":{"resource":"secrets"},"responseStatus":{"code":200}}
{"auditID":"g1","stage":"ResponseComplete","requestURI":"/version","verb":"get","userAgent":"manager/v1","responseStatus":{"code":200}}
{"auditID":"half","sta`

func auditIDs(t *testing.T, filter AuditFilter) []string {
	t.Helper()
	events, err := readAudit(strings.NewReader(auditSample), filter)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	ids := []string{}
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestAuditHasOneEventPerRequest(t *testing.T) {
	g := NewWithT(t)
	g.Expect(auditIDs(t, AuditFilter{})).To(Equal([]string{"w1", "p1", "g1"}))
}

func TestAuditEventFields(t *testing.T) {
	g := NewWithT(t)
	events, err := readAudit(strings.NewReader(auditSample), AuditFilter{Verbs: []string{"patch"}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(events).To(Equal([]AuditEvent{{
		ID: "p1", Verb: "patch", RequestURI: "/apis/apps/v1/namespaces/a/deployments/d/status",
		User: "jane", ImpersonatedUser: "joe", UserAgent: "tool/v2",
		APIGroup: "apps", Resource: "deployments", Subresource: "status", Namespace: "a", Name: "d",
		Code: 409, Received: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), Complete: true,
	}}))
}

func TestAuditShowsWhetherAWatchRuns(t *testing.T) {
	g := NewWithT(t)
	first, _, _ := strings.Cut(auditSample, "\n")
	events, err := readAudit(strings.NewReader(first+"\n"), AuditFilter{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(events).To(ConsistOf(HaveField("Complete", false)))
	events, err = readAudit(strings.NewReader(auditSample), AuditFilter{Verbs: []string{"watch"}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(events).To(ConsistOf(HaveField("Complete", true)))
}

func TestAuditFilter(t *testing.T) {
	afterFirst := int64(strings.Index(auditSample, "\n") + 1)
	for name, tt := range map[string]struct {
		filter AuditFilter
		want   []string
	}{
		"user agent prefix":      {AuditFilter{UserAgent: "manager/"}, []string{"w1", "g1"}},
		"user":                   {AuditFilter{User: "jane"}, []string{"p1"}},
		"verbs":                  {AuditFilter{Verbs: []string{"patch", "get"}}, []string{"p1", "g1"}},
		"group":                  {AuditFilter{APIGroup: "apps"}, []string{"p1"}},
		"resource":               {AuditFilter{Resource: "secrets"}, []string{"w1"}},
		"subresource":            {AuditFilter{Subresource: "status"}, []string{"p1"}},
		"namespace and name":     {AuditFilter{Namespace: "a", Name: "d"}, []string{"p1"}},
		"other name":             {AuditFilter{Namespace: "a", Name: "e"}, []string{}},
		"where":                  {AuditFilter{Where: func(e AuditEvent) bool { return e.Code >= 400 }}, []string{"p1"}},
		"since, not the old one": {AuditFilter{Since: afterFirst}, []string{"p1", "g1"}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(auditIDs(t, tt.filter)).To(Equal(tt.want))
		})
	}
}

func TestAuditRejectsADamagedLog(t *testing.T) {
	g := NewWithT(t)
	_, err := readAudit(strings.NewReader("{}\nnonsense\n"), AuditFilter{})
	g.Expect(err).To(MatchError(HavePrefix("decode entry at byte 3: ")))
}

func TestAuditNeedsItsOption(t *testing.T) {
	g := NewWithT(t)
	p := &Plane{opts: Options{Name: "infra"}}
	_, err := p.Audit(AuditFilter{})
	g.Expect(err).To(MatchError("plane infra was started without an audit log"))
	_, err = p.AuditPosition()
	g.Expect(err).To(MatchError("plane infra was started without an audit log"))
}
