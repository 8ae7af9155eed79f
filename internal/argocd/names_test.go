// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestClusterNamesAreToldApart(t *testing.T) {
	g := NewWithT(t)
	g.Expect(ClusterName("tenant-a", "edge-1")).To(Equal("tenant-a.edge-1"))
	g.Expect(ClusterName("a-b", "c")).NotTo(Equal(ClusterName("a", "b-c")))
	long := strings.Repeat("x", 250)
	first, second := ClusterName("tenant", long+"1"), ClusterName("tenant", long+"2")
	g.Expect(first).NotTo(Equal(second))
	for _, name := range []string{first, second} {
		g.Expect(name).To(HaveLen(253))
		g.Expect(validation.IsDNS1123Subdomain(name)).To(BeEmpty())
	}
	g.Expect(ClusterName("tenant", long+"1")).To(Equal(first))
	g.Expect(ClusterName("tenant", strings.Repeat("x", 246))).To(HaveLen(253), "as it is")
}

func TestProjectNamesLeadBack(t *testing.T) {
	g := NewWithT(t)
	tenant, ok := TenantOf(ProjectName("tenant-a"))
	g.Expect(tenant).To(Equal("tenant-a"))
	g.Expect(ok).To(BeTrue())
	_, ok = TenantOf("default")
	g.Expect(ok).To(BeFalse())
}

func TestReserved(t *testing.T) {
	g := NewWithT(t)
	entries := map[string]string{"plain": "1", "example.com/a": "2", "notk8s.io/a": "3"}
	all := map[string]string{
		"argocd.argoproj.io/refresh": "x", "ccluster.nvidia.com/managed": "x", "app.kubernetes.io/name": "x",
		"kubernetes.io/a": "x", "k8s.io/a": "x", "a.b.k8s.io/c": "x", "kubectl.kubernetes.io/last-applied-configuration": "x",
	}
	for key := range all {
		g.Expect(Reserved(key)).To(BeTrue(), key)
	}
	for key, value := range entries {
		g.Expect(Reserved(key)).To(BeFalse(), key)
		all[key] = value
	}
	g.Expect(Unreserved(all)).To(Equal(entries))
}
