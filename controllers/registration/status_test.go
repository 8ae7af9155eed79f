// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func reported(s *scope) {
	s.report = report{
		server: "https://edge-1.example:6443", version: "v1.37.0", clusterUID: "uid-cluster", account: "uid-account",
		objects: []v1alpha1.RemoteObject{
			{APIVersion: "v1", Kind: "ServiceAccount", Namespace: "kube-system", Name: "ccluster-manager", UID: "uid-account"},
			{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "ccluster:a:b:self", UID: "uid-role"},
			{APIVersion: "v1", Kind: "Secret", Namespace: "kube-system", Name: "ccluster-manager-token"},
		},
		token: v1alpha1.TokenStatus{
			Type: v1alpha1.TokenBound, SecretName: "ccluster-manager-token",
			IssuedAt: seconds(now), ExpiresAt: seconds(now.Add(time.Hour)),
		},
		probe:    v1alpha1.ProbeStatus{Inputs: "0a1b", CompletedAt: seconds(now)},
		planeRef: "edge-1", secretRef: "edge-1-credentials",
	}
}

// What is sent has to read as what was compared, or the status is written again forever.
func TestStatusIntentSaysTheStatus(t *testing.T) {
	for name, change := range map[string]func(*scope){
		"nothing":        func(*scope) {},
		"everything":     reported,
		"no expiry":      func(s *scope) { reported(s); s.report.token.ExpiresAt.Reset() },
		"no issue time":  func(s *scope) { reported(s); s.report.token.IssuedAt.Reset() },
		"no account yet": func(s *scope) { reported(s); s.report.account = "" },
		"in-cluster": func(s *scope) {
			s.reg.Spec.InCluster = &v1alpha1.InCluster{}
			s.report.planeRef = "edge-1"
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, s := newScope(t, newReg())
			change(s)
			s.yes(v1alpha1.ConditionReachable, v1alpha1.ReasonConnected, "")
			g.Expect(s.no(v1alpha1.ConditionAuthorized, &problem{reason: v1alpha1.ReasonForbidden, message: "no"})).NotTo(Succeed())
			want := s.status()
			data, err := json.Marshal(s.statusIntent(&want))
			g.Expect(err).NotTo(HaveOccurred())
			var got v1alpha1.ClusterRegistrationStatus
			g.Expect(json.Unmarshal(data, &got)).To(Succeed())
			g.Expect(equality.Semantic.DeepEqual(got, want)).To(BeTrue(), "%s", data)
			g.Expect(got.Conditions).To(HaveLen(8))

			// And what is read back makes the same status in the next pass.
			s.report = reportOf(&got)
			g.Expect(equality.Semantic.DeepEqual(s.status(), want)).To(BeTrue())
		})
	}
}

// A field that is added to the status must not be forgotten in one of the two.
func TestStatusHasEveryField(t *testing.T) {
	g := NewWithT(t)
	_, s := newScope(t, newReg())
	reported(s)
	status := s.status()
	for field, value := range reflect.ValueOf(status).Fields() {
		g.Expect(value.IsZero()).To(BeFalse(), field.Name)
	}
	g.Expect(reportOf(&status)).To(Equal(s.report))
}

func TestStatusOfTheOwnClusterHasNoAccount(t *testing.T) {
	g := NewWithT(t)
	_, s := newScope(t, newReg())
	g.Expect(s.status().ServiceAccount.Name).To(Equal("ccluster-manager"))
	s.reg.Spec.InCluster = &v1alpha1.InCluster{}
	g.Expect(s.status().ServiceAccount).To(BeZero())
}

// The cache may be behind the last write.
func TestLiveStatus(t *testing.T) {
	written := &v1alpha1.ClusterRegistrationStatus{Server: "written"}
	for name, test := range map[string]struct {
		written *v1alpha1.ClusterRegistrationStatus
		version string
		cached  string
		want    string
	}{
		"nothing written":           {nil, "", "100", "cached"},
		"the cache is behind":       {written, "101", "100", "written"},
		"the cache has it":          {written, "100", "100", "cached"},
		"the cache is ahead":        {written, "99", "100", "cached"},
		"versions of another width": {written, "1000", "999", "written"},
		"not comparable":            {written, "abc", "100", "cached"},
		"no version in the cache":   {written, "100", "", "cached"},
	} {
		t.Run(name, func(t *testing.T) {
			reg := newReg()
			reg.ResourceVersion, reg.Status.Server = test.cached, "cached"
			r := &record{written: test.written, writtenVersion: test.version}
			NewWithT(t).Expect(r.liveStatus(reg).Server).To(Equal(test.want))
		})
	}
}

func TestReportTokenKeepsSeconds(t *testing.T) {
	g := NewWithT(t)
	_, s := issued(t)
	s.token.IssuedAt = now.Add(999 * time.Millisecond)
	s.reportToken()
	g.Expect(s.report.token.Type).To(Equal(v1alpha1.TokenLongLived))
	g.Expect(s.report.token.SecretName).To(Equal("ccluster-manager-token"))
	g.Expect(s.report.token.IssuedAt.Time.Equal(now)).To(BeTrue())
	g.Expect(s.report.token.ExpiresAt.IsZero()).To(BeTrue())
	s.token.ExpiresAt = now.Add(time.Hour + time.Millisecond)
	s.reportToken()
	g.Expect(s.report.token.ExpiresAt.Time.Equal(now.Add(time.Hour))).To(BeTrue())
}

func TestReportTokenWithoutIssueTime(t *testing.T) {
	g := NewWithT(t)
	_, s := issued(t)
	s.token.IssuedAt = time.Time{}
	s.reportToken()
	g.Expect(s.report.token.IssuedAt.IsZero()).To(BeTrue())
}
