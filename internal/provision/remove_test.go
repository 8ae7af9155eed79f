// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"errors"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// Calls of a removal, in the shape that fakePlane notes them.
const (
	delClaim   = "delete ConfigMap kube-system/" + claimName
	delAccount = "delete ServiceAccount kube-system/ccluster-manager"
	delBinding = "delete ClusterRoleBinding " + bindingName
	delCluster = "delete ClusterRole " + bindingName + ":self"
	delSelf    = "delete ClusterRoleBinding " + bindingName + ":self"
	delRole    = "delete Role kube-system/" + selfName
	delRoleB   = "delete RoleBinding kube-system/" + selfName
	delToken   = "delete Secret kube-system/" + firstToken
	delTeamA   = "delete RoleBinding team-a/" + bindingName
	delTeamB   = "delete RoleBinding team-b/" + bindingName
)

var (
	viewer    = &ccluster.Access{ClusterRoleName: "view"}
	teams     = &ccluster.Access{Binding: ccluster.BindingRoleBindings, ClusterRoleName: "edit", Namespaces: []string{"team-b", "team-a"}}
	ungranted = &ccluster.Access{Binding: ccluster.BindingNone}
)

// built is a plane on which everything has been made, with others' objects beside it.
func built(t *testing.T, access *ccluster.Access) (server *fakePlane, objects []ccluster.RemoteObject) {
	t.Helper()
	return builtFor(t, wantedOf(access))
}

func builtFor(t *testing.T, wanted Wanted) (server *fakePlane, objects []ccluster.RemoteObject) {
	t.Helper()
	g := NewWithT(t)
	var others []client.Object
	for _, m := range []Marker{neighbourMarker, foreignMarker} {
		name := "other-" + m.ControlPlaneID
		others = append(others,
			marked(m, &corev1.ConfigMap{ObjectMeta: named("kube-system", name)}),
			marked(m, anchorSecret(name)), marked(m, account(name)),
			marked(m, &rbacv1.Role{ObjectMeta: named("kube-system", name)}),
			marked(m, &rbacv1.RoleBinding{ObjectMeta: named("team-a", name)}),
			marked(m, &rbacv1.ClusterRole{ObjectMeta: named("", name)}),
			marked(m, binding(name, "view")))
		// Whoever copies our label has not become us.
		last := others[len(others)-1]
		last.SetLabels(ourMarker.Labels())
	}
	server = newFakePlane(others...)
	plane := newPlane(t, server, wanted)
	g.Expect(build(t.Context(), plane)).To(Succeed())
	_, err := plane.LongLived(t.Context(), testAccount, "")
	g.Expect(err).To(MatchError(ErrTokenPending))
	server.forget()
	return server, plane.Objects()
}

// remaining lists our objects that are still there.
func remaining(t *testing.T, server *fakePlane, objects []ccluster.RemoteObject) []string {
	t.Helper()
	left := []string{}
	for _, o := range objects {
		live, err := server.Scheme().New(kindOf(o))
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		obj, _ := live.(client.Object)
		if server.find(t, obj, o.Namespace, o.Name) {
			left = append(left, strings.Replace(o.Kind+" "+o.Namespace+"/"+o.Name, " /", " ", 1))
		}
	}
	return left
}

func TestRemoveAsAdmin(t *testing.T) {
	for name, test := range map[string]struct {
		access *ccluster.Access
		want   []string
	}{
		"cluster-admin": {nil, []string{delRoleB, delBinding, delToken, delRole, delAccount, delClaim}},
		"cluster role":  {viewer, []string{delRoleB, delBinding, delSelf, delCluster, delToken, delRole, delAccount, delClaim}},
		"role bindings": {teams, []string{delRoleB, delTeamA, delTeamB, delSelf, delCluster, delToken, delRole, delAccount, delClaim}},
		"none":          {ungranted, []string{delToken, delAccount, delClaim}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, objects := built(t, test.access)
			before := everything(t, server)
			plane := newPlane(t, server, wantedOf(test.access))
			g.Expect(plane.Remove(t.Context(), objects, true)).To(Succeed())
			g.Expect(server.writes()).To(Equal(test.want))
			g.Expect(remaining(t, server, objects)).To(BeEmpty())
			g.Expect(everything(t, server)).To(HaveLen(len(before)-len(objects)), "others' objects stay")
			server.forget()

			g.Expect(plane.Remove(t.Context(), objects, true)).To(Succeed())
			g.Expect(server.writes()).To(BeEmpty())
		})
	}
}

// The account goes last: its token is what it works with, and what is left goes with it.
func TestRemoveAsTheAccount(t *testing.T) {
	for name, test := range map[string]struct {
		access *ccluster.Access
		want   []string
	}{
		"cluster-admin": {nil, []string{delClaim, delBinding, delAccount}},
		"cluster role":  {viewer, []string{delClaim, delBinding, delCluster, delAccount}},
		"role bindings": {teams, []string{delTeamA, delTeamB, delClaim, delCluster, delAccount}},
		"none":          {ungranted, []string{delClaim, delAccount}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, objects := built(t, test.access)
			g.Expect(newPlane(t, server, wantedOf(test.access)).Remove(t.Context(), objects, false)).To(Succeed())
			g.Expect(server.writes()).To(Equal(test.want))
			collectGarbage(t, server)
			g.Expect(remaining(t, server, objects)).To(BeEmpty())
		})
	}
}

// An account that is bound in single namespaces may list nothing.
func TestRemoveByName(t *testing.T) {
	for name, test := range map[string]struct {
		admin    bool
		recorded bool
		want     []string
	}{
		"the account, from the spec": {false, false, []string{delTeamA, delTeamB, delClaim, delCluster, delAccount}},
		"the account, from records":  {false, true, []string{delTeamA, delTeamB, "delete RoleBinding former/" + bindingName, delClaim, delCluster, delAccount}},
		"an admin, from the spec":    {true, false, []string{delTeamA, delTeamB, delRoleB, delCluster, delToken, delRole, delAccount, delClaim}},
		"an admin, from records":     {true, true, []string{delTeamA, delTeamB, delRoleB, "delete RoleBinding former/" + bindingName, delSelf, delCluster, delToken, delRole, delAccount, delClaim}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, objects := built(t, teams)
			former := marked(ourMarker, &rbacv1.RoleBinding{ObjectMeta: named("former", bindingName)})
			theirs := marked(foreignMarker, &rbacv1.RoleBinding{ObjectMeta: named("theirs", bindingName)})
			g.Expect(server.server.Create(t.Context(), former)).To(Succeed())
			g.Expect(server.server.Create(t.Context(), theirs)).To(Succeed())
			server.answer = func(call string) error {
				if strings.HasPrefix(call, "list ") {
					return forbidden("things")
				}
				return nil
			}
			var recorded []ccluster.RemoteObject
			if test.recorded {
				recorded = slices.Concat(objects, []ccluster.RemoteObject{
					{APIVersion: rbacAPI, Kind: "RoleBinding", Namespace: "former", Name: bindingName},
					{APIVersion: rbacAPI, Kind: "RoleBinding", Namespace: "theirs", Name: bindingName},
					{APIVersion: rbacAPI, Kind: "RoleBinding", Namespace: "gone", Name: bindingName},
				})
			}
			plane := newPlane(t, server, wantedOf(teams))
			g.Expect(plane.Remove(t.Context(), recorded, test.admin)).To(Succeed())
			g.Expect(server.writes()).To(Equal(test.want))
			g.Expect(server.find(t, &rbacv1.RoleBinding{}, "theirs", bindingName)).To(BeTrue())
		})
	}
}

func TestRemoveTellsWhatItMayNotSee(t *testing.T) {
	hide := func(call string) error {
		for _, hidden := range []string{"list ", "get ConfigMap ", "get ClusterRole "} {
			if strings.HasPrefix(call, hidden) {
				return forbidden("things")
			}
		}
		return nil
	}
	t.Run("the account", func(t *testing.T) {
		g := NewWithT(t)
		server, objects := built(t, teams)
		server.answer = hide
		err := newPlane(t, server, wantedOf(teams)).Remove(t.Context(), objects, false)
		g.Expect(err).To(Equal(&HiddenError{Objects: []string{
			"ConfigMap kube-system/" + claimName, "ClusterRole " + bindingName + ":self",
		}}))
		g.Expect(server.writes()).To(Equal([]string{delTeamA, delTeamB, delAccount}), "all else is gone")
	})
	t.Run("an admin", func(t *testing.T) {
		g := NewWithT(t)
		server, objects := built(t, teams)
		server.answer = hide
		err := newPlane(t, server, wantedOf(teams)).Remove(t.Context(), objects, true)
		g.Expect(apierrors.IsForbidden(err)).To(BeTrue())
		g.Expect(err).To(MatchError(HavePrefix("read ClusterRole ")))
		g.Expect(server.writes()).To(BeEmpty())
	})
}

func TestRemoveStopsAtAnError(t *testing.T) {
	down := apierrors.NewInternalError(errors.New("down"))
	for name, test := range map[string]struct {
		calls  []string
		answer error
		want   string
	}{
		"a list":        {[]string{"list ClusterRoleBinding"}, down, "list ClusterRoleBindings: "},
		"a read":        {[]string{"list ClusterRoleBinding", "get ClusterRoleBinding " + bindingName}, down, "read ClusterRoleBinding "},
		"a deletion":    {[]string{delBinding}, down, "delete ClusterRoleBinding "},
		"its rights":    {[]string{delBinding}, forbidden("things"), "delete ClusterRoleBinding "},
		"found by name": {[]string{"list ClusterRoleBinding", delBinding}, forbidden("things"), "delete ClusterRoleBinding "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, objects := built(t, nil)
			server.answer = func(call string) error {
				for i, c := range test.calls {
					if call != c {
						continue
					}
					if i < len(test.calls)-1 {
						return forbidden("things")
					}
					return test.answer
				}
				return nil
			}
			err := newPlane(t, server, wantedOf(nil)).Remove(t.Context(), objects, false)
			g.Expect(errors.Is(err, test.answer)).To(BeTrue())
			g.Expect(err).To(MatchError(HavePrefix(test.want)))
			g.Expect(server.writes()).NotTo(ContainElement(delAccount), "what is left needs the account")
		})
	}
}

func TestRemoveSparesAReplacement(t *testing.T) {
	g := NewWithT(t)
	server, objects := built(t, nil)
	server.after = func(call string) {
		if call != "list ClusterRoleBinding" {
			return
		}
		g.Expect(server.server.Delete(t.Context(), binding(bindingName, ""))).To(Succeed())
		other := binding(bindingName, "view")
		other.UID = "uid-other"
		g.Expect(server.server.Create(t.Context(), other)).To(Succeed())
	}
	err := newPlane(t, server, wantedOf(nil)).Remove(t.Context(), objects, true)
	g.Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
	g.Expect(server.find(t, &rbacv1.ClusterRoleBinding{}, "", bindingName)).To(BeTrue())
}
