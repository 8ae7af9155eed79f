// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestWantedForFillsInDefaults(t *testing.T) {
	manager := types.NamespacedName{Namespace: "kube-system", Name: "ccluster-manager"}
	for name, test := range map[string]struct {
		spec ccluster.ClusterRegistrationSpec
		want Wanted
	}{
		"nothing": {want: Wanted{Account: manager, Binding: "ClusterRoleBinding", ClusterRole: "cluster-admin"}},
		"empty structs": {
			ccluster.ClusterRegistrationSpec{ServiceAccount: &ccluster.ServiceAccountReference{}, Access: &ccluster.Access{}},
			Wanted{Account: manager, Binding: "ClusterRoleBinding", ClusterRole: "cluster-admin"},
		},
		"an account's name": {
			ccluster.ClusterRegistrationSpec{ServiceAccount: &ccluster.ServiceAccountReference{Name: "edge"}},
			Wanted{Account: types.NamespacedName{Namespace: "kube-system", Name: "edge"}, Binding: "ClusterRoleBinding", ClusterRole: "cluster-admin"},
		},
		"an account's namespace": {
			ccluster.ClusterRegistrationSpec{ServiceAccount: &ccluster.ServiceAccountReference{Namespace: "ops"}},
			Wanted{Account: types.NamespacedName{Namespace: "ops", Name: "ccluster-manager"}, Binding: "ClusterRoleBinding", ClusterRole: "cluster-admin"},
		},
		"a role": {
			ccluster.ClusterRegistrationSpec{Access: &ccluster.Access{ClusterRoleName: "view"}},
			Wanted{Account: manager, Binding: "ClusterRoleBinding", ClusterRole: "view"},
		},
		"namespaces, unsorted": {
			ccluster.ClusterRegistrationSpec{Access: &ccluster.Access{Binding: ccluster.BindingRoleBindings, Namespaces: []string{"c", "a", "b"}}},
			Wanted{Account: manager, Binding: "RoleBindings", ClusterRole: "cluster-admin", Namespaces: []string{"a", "b", "c"}},
		},
		"namespaces of another binding": {
			ccluster.ClusterRegistrationSpec{Access: &ccluster.Access{Binding: ccluster.BindingNone, Namespaces: []string{"b", "a"}}},
			Wanted{Account: manager, Binding: "None", ClusterRole: "cluster-admin"},
		},
		"adoption": {
			ccluster.ClusterRegistrationSpec{Adoption: ccluster.AdoptionUnmarked},
			Wanted{Account: manager, Binding: "ClusterRoleBinding", ClusterRole: "cluster-admin", Adopt: true},
		},
		"no adoption": {
			ccluster.ClusterRegistrationSpec{Adoption: ccluster.AdoptionNever},
			Wanted{Account: manager, Binding: "ClusterRoleBinding", ClusterRole: "cluster-admin"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			test.want.Marker = ourMarker
			before := test.spec.DeepCopy()
			g.Expect(WantedFor(ourMarker, &test.spec, false)).To(Equal(test.want))
			g.Expect(&test.spec).To(Equal(before), "the spec comes from a cache")
			test.want.ClaimPerAccount = true
			g.Expect(WantedFor(ourMarker, &test.spec, true)).To(Equal(test.want))
		})
	}
}

func TestWantedNames(t *testing.T) {
	g := NewWithT(t)
	w := wantedOf(nil)
	g.Expect(w.Username()).To(Equal("system:serviceaccount:kube-system:ccluster-manager"))
	g.Expect(w.claimName()).To(Equal("ccluster-claim-plane-a"))
	g.Expect(w.bindingName()).To(Equal("ccluster:kube-system:ccluster-manager"))
	g.Expect(w.selfName()).To(Equal("ccluster-manager-self"))
	g.Expect(w.selfClusterName()).To(Equal("ccluster:kube-system:ccluster-manager:self"))
	g.Expect(w.FirstTokenName()).To(Equal("ccluster-manager-token"))
}

func TestClaimNameIsOfTheControlPlane(t *testing.T) {
	g := NewWithT(t)
	one := wantedOf(nil)
	other := one
	other.Marker = neighbourMarker
	other.Account.Name = "edge"
	g.Expect(other.claimName()).To(Equal(one.claimName()), "all registrations of a control plane meet there")
	other.Marker = foreignMarker
	g.Expect(other.claimName()).NotTo(Equal(one.claimName()))
}

func TestClaimNamePerAccount(t *testing.T) {
	g := NewWithT(t)
	seen := map[string]bool{}
	for _, account := range []types.NamespacedName{
		{Namespace: "kube-system", Name: "a"},
		{Namespace: "kube-system", Name: "b"},
		{Namespace: "ops", Name: "a"},
		{Namespace: "a-b", Name: "c"},
		{Namespace: "a", Name: "b-c"},
	} {
		w := Wanted{Marker: ourMarker, Account: account, ClaimPerAccount: true}
		g.Expect(w.claimName()).To(MatchRegexp(`^ccluster-claim-plane-a-[0-9a-f]{10}$`))
		seen[w.claimName()] = true
	}
	g.Expect(seen).To(HaveLen(5))
}

// Names are taken from the longest that the API lets through.
func TestNamesFit(t *testing.T) {
	g := NewWithT(t)
	long := strings.Repeat("n", 63)
	w := Wanted{
		Marker:  Marker{ControlPlaneID: strings.Repeat("i", 63)},
		Account: types.NamespacedName{Namespace: long, Name: long}, ClaimPerAccount: true,
	}
	for _, name := range []string{w.claimName(), w.selfName(), w.FirstTokenName() + "-0123456789"} {
		g.Expect(validation.IsDNS1123Subdomain(name)).To(BeEmpty(), name)
	}
	for _, name := range []string{w.bindingName(), w.selfClusterName()} {
		g.Expect(len(name)).To(BeNumerically("<=", 253))
	}
}
