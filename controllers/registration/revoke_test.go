// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

func TestOnlyTheAccountIsLeft(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*scope)
		want   bool
	}{
		"the account":       {func(*scope) {}, true},
		"nothing":           {func(s *scope) { s.report.objects = nil }, false},
		"more":              {func(s *scope) { s.report.objects = append(s.report.objects, v1alpha1.RemoteObject{Kind: "Role"}) }, false},
		"something else":    {func(s *scope) { s.report.objects[0].Kind = "Secret" }, false},
		"a former account":  {func(s *scope) { s.report.objects[0].UID = "uid-former" }, false},
		"another's account": {func(s *scope) { s.report.objects[0].Name = "other" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, s := newScope(t, newReg())
			s.report.account = "uid-account"
			g.Expect(s.accountObject()).To(Equal(v1alpha1.RemoteObject{
				APIVersion: "v1", Kind: "ServiceAccount", Namespace: "kube-system", Name: "ccluster-manager", UID: "uid-account",
			}))
			s.report.objects = []v1alpha1.RemoteObject{s.accountObject()}
			test.change(s)
			g.Expect(s.onlyAccountLeft()).To(Equal(test.want))
		})
	}
}

func TestIsAccount(t *testing.T) {
	const name = "system:serviceaccount:kube-system:ccluster-manager"
	for _, test := range []struct {
		who  remote.Identity
		want bool
	}{
		{remote.Identity{Username: name, UID: "uid-account"}, true},
		{remote.Identity{Username: name, UID: "uid-other"}, false},
		{remote.Identity{Username: name}, false},
		{remote.Identity{Username: "system:admin", UID: "uid-account"}, false},
		{remote.Identity{Username: name + "-2", UID: "uid-account"}, false},
		{remote.Identity{Username: "system:anonymous"}, false},
	} {
		_, s := newScope(t, newReg())
		s.account = "uid-account"
		NewWithT(t).Expect(s.isAccount(test.who)).To(Equal(test.want), "%+v", test.who)
	}
}

func TestObjectsAreDescribed(t *testing.T) {
	g := NewWithT(t)
	g.Expect(describeObject(v1alpha1.RemoteObject{Kind: "Role", Namespace: "a", Name: "b"})).To(Equal("Role a/b"))
	g.Expect(describeObject(v1alpha1.RemoteObject{Kind: "ClusterRole", Name: "b"})).To(Equal("ClusterRole b"))
	g.Expect(joined([]string{"Role a/b", "ClusterRole c"})).To(Equal("Role a/b, ClusterRole c"))
	g.Expect(joined(nil)).To(BeEmpty())
	long := joined([]string{strings.Repeat("x", 2000)})
	g.Expect(len(leftBehind("").note)+len(long)).To(BeNumerically("<", 1024), "an event's note has no more room")
}

// A plane that drains for long has its registration's revocation proven all the same.
func TestTheTimeToCleanUpBeginsWhenThePlaneIsGone(t *testing.T) {
	g := NewWithT(t)
	reg := newReg()
	reg.DeletionTimestamp = &metav1.Time{Time: now}
	_, s := newScope(t, reg)
	g.Expect(s.revokeBy(time.Minute)).To(Equal(now.Add(time.Minute)))
	s.record.drainedAt = now.Add(time.Hour)
	g.Expect(s.revokeBy(time.Minute)).To(Equal(now.Add(time.Hour + time.Minute)))
}
