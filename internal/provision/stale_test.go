// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"testing"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

var fewer = &ccluster.Access{Binding: ccluster.BindingRoleBindings, ClusterRoleName: "edit", Namespaces: []string{"team-a"}}

// Rights that an earlier spec has granted do not outlive it.
func TestANarrowerSpecTakesRightsAway(t *testing.T) {
	modes := map[string]*ccluster.Access{"cluster-admin": nil, "cluster role": viewer, "namespaces": teams, "fewer namespaces": fewer, "none": ungranted}
	for from, before := range modes {
		for to, after := range modes {
			t.Run(from+" to "+to, func(t *testing.T) {
				g := NewWithT(t)
				server, recorded := built(t, before)
				others := len(everything(t, server)) - len(recorded)
				plane := newPlane(t, server, wantedOf(after))
				g.Expect(build(t.Context(), plane)).To(Succeed())
				server.forget()
				g.Expect(plane.RemoveStale(t.Context(), recorded)).To(Succeed())
				if from == to {
					g.Expect(server.writes()).To(BeEmpty())
				}

				g.Expect(remaining(t, server, plane.Objects())).To(HaveLen(len(plane.Objects())), "what is wanted stays")
				// The token's Secret is there too.
				g.Expect(everything(t, server)).To(HaveLen(others + len(plane.Objects()) + 1))
			})
		}
	}
}

// An account that is cluster-admin may make itself less, and one that is bound in
// namespaces may give some of them up. Another ClusterRole takes an admin: the binding has
// to be made anew for that, and without it there is no right to make it.
func TestTheAccountTakesItsOwnRightsAway(t *testing.T) {
	for name, test := range map[string]struct{ before, after *ccluster.Access }{
		"cluster-admin to namespaces": {nil, teams},
		"cluster-admin to none":       {nil, ungranted},
		"fewer namespaces":            {teams, fewer},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, recorded := built(t, test.before)
			plane := newPlane(t, server, wantedOf(test.after))
			if test.before == teams {
				// The role's list of namespaces is an admin's to change.
				g.Expect(build(t.Context(), newPlane(t, server, wantedOf(test.after)))).To(Succeed())
			}
			asAccount(t, server)
			g.Expect(build(t.Context(), plane)).To(Succeed())
			g.Expect(plane.RemoveStale(t.Context(), recorded)).To(Succeed())
			g.Expect(server.find(t, &rbacv1.ClusterRoleBinding{}, "", bindingName)).To(BeFalse())
			g.Expect(server.find(t, &rbacv1.RoleBinding{}, "team-a", bindingName)).To(Equal(test.after != ungranted))
			g.Expect(server.find(t, &rbacv1.RoleBinding{}, "team-b", bindingName)).To(Equal(test.after == teams))
		})
	}
}

func TestRemoveStaleReportsErrors(t *testing.T) {
	for _, call := range []string{"list RoleBinding", "list ClusterRole", delBinding} {
		t.Run(call, func(t *testing.T) {
			g := NewWithT(t)
			server, recorded := built(t, nil)
			plane := newPlane(t, server, wantedOf(ungranted))
			g.Expect(build(t.Context(), plane)).To(Succeed())
			server.answer = func(c string) error {
				if c == call {
					return apierrors.NewTooManyRequests("later", 1)
				}
				return nil
			}
			g.Expect(plane.RemoveStale(t.Context(), recorded)).To(Satisfy(apierrors.IsTooManyRequests))
		})
	}
}
