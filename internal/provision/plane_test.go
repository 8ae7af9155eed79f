// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

const (
	claimName   = "ccluster-claim-plane-a"
	bindingName = "ccluster:kube-system:ccluster-manager"
	selfName    = "ccluster-manager-self"
)

// build makes everything but the token.
func build(ctx context.Context, p *Plane) error {
	if err := p.Claim(ctx); err != nil {
		return err
	}
	account, err := p.Account(ctx)
	if err != nil {
		return err
	}
	return p.Access(ctx, account)
}

func binding(name, role string, subjects ...rbacv1.Subject) *rbacv1.ClusterRoleBinding {
	return &rbacv1.ClusterRoleBinding{ObjectMeta: named("", name), RoleRef: clusterRole(role), Subjects: subjects}
}

func subject(name string) rbacv1.Subject {
	return rbacv1.Subject{Kind: "ServiceAccount", Namespace: "kube-system", Name: name}
}

func TestNewErrors(t *testing.T) {
	g := NewWithT(t)
	_, err := New(nil, testOwner, wantedOf(nil))
	g.Expect(err).To(MatchError("create applier: client must not be nil"))
	// A field manager has at most 128 characters.
	for _, length := range []int{112, 101} {
		_, err = New(newFakePlane(), strings.Repeat("o", length), wantedOf(nil))
		g.Expect(err).To(MatchError(HavePrefix("create applier: ")), "%d", length)
	}
	_, err = New(newFakePlane(), strings.Repeat("o", 100), wantedOf(nil))
	g.Expect(err).NotTo(HaveOccurred())
}

// Claims are told apart by their field manager.
func TestFieldManagersAreNotShared(t *testing.T) {
	g := NewWithT(t)
	managers := map[string]bool{}
	for _, m := range []Marker{ourMarker, neighbourMarker, foreignMarker} {
		server, wanted := newFakePlane(), wantedOf(nil)
		wanted.Marker = m
		g.Expect(newPlane(t, server, wanted).Claim(t.Context())).To(Succeed())
		managers[server.applied[0].manager] = true
	}
	g.Expect(managers).To(HaveLen(3))
	g.Expect(managers).To(HaveKey("test-owner-" + ourMarker.Hash()[:16]))
}

func TestBuildingAgainWritesNothing(t *testing.T) {
	for name, access := range map[string]*ccluster.Access{
		"cluster-admin": nil,
		"cluster role":  {ClusterRoleName: "view"},
		"role bindings": {Binding: ccluster.BindingRoleBindings, Namespaces: []string{"b", "a"}},
		"none":          {Binding: ccluster.BindingNone},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane()
			first := newPlane(t, server, wantedOf(access))
			g.Expect(build(t.Context(), first)).To(Succeed())
			g.Expect(server.writes()).NotTo(BeEmpty())
			server.forget()

			again := newPlane(t, server, wantedOf(access))
			g.Expect(build(t.Context(), again)).To(Succeed())
			g.Expect(server.writes()).To(BeEmpty())
			g.Expect(again.Objects()).To(Equal(first.Objects()))
			g.Expect(again.Wrote()).To(BeEmpty())
		})
	}
}

func TestBindingNoneGrantsNothing(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane()
	g.Expect(newPlane(t, server, wantedOf(&ccluster.Access{Binding: ccluster.BindingNone})).Access(t.Context(), testAccount)).To(Succeed())
	g.Expect(server.calls).To(BeEmpty())
}

func TestOthersObjectsStayAsTheyAre(t *testing.T) {
	foreignAccount := &ForeignError{Kind: "ServiceAccount", Namespace: "kube-system", Name: "ccluster-manager"}
	foreignBinding := &ForeignError{Kind: "ClusterRoleBinding", Name: bindingName}
	foreignRole := &ForeignError{Kind: "Role", Namespace: "kube-system", Name: selfName}
	claim := func() client.Object { return &corev1.ConfigMap{ObjectMeta: named("kube-system", claimName)} }
	sa := func() client.Object { return account("ccluster-manager") }
	ours := func() client.Object {
		return binding(bindingName, "cluster-admin", subject("ccluster-manager"))
	}
	role := func() client.Object { return &rbacv1.Role{ObjectMeta: named("kube-system", selfName)} }
	for name, test := range map[string]struct {
		object func() client.Object
		marker *Marker
		want   error
	}{
		"unmarked claim":     {claim, nil, &ClaimedError{ConfigMap: claimName}},
		"neighbour's claim":  {claim, &neighbourMarker, &ClaimedError{ConfigMap: claimName}},
		"foreign claim":      {claim, &foreignMarker, &ClaimedError{ConfigMap: claimName}},
		"unmarked account":   {sa, nil, foreignAccount},
		"neighbours account": {sa, &neighbourMarker, foreignAccount},
		"foreign account":    {sa, &foreignMarker, foreignAccount},
		"unmarked binding":   {ours, nil, foreignBinding},
		"neighbours binding": {ours, &neighbourMarker, foreignBinding},
		"foreign binding":    {ours, &foreignMarker, foreignBinding},
		"unmarked role":      {role, nil, foreignRole},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			object := identified(test.object())
			if test.marker != nil {
				object = marked(*test.marker, object)
			}
			server := newFakePlane(object)
			err := build(t.Context(), newPlane(t, server, wantedOf(nil)))
			g.Expect(err).To(Equal(test.want))

			live := test.object()
			g.Expect(server.find(t, live, object.GetNamespace(), object.GetName())).To(BeTrue())
			g.Expect(live.GetResourceVersion()).To(Equal("999"), "the fake client's first version")
			g.Expect(live.GetUID()).To(Equal(object.GetUID()))
			kind := server.kindOf(object)
			g.Expect(server.writes()).NotTo(ContainElement(HaveSuffix(kind + " " + object.GetName())))
			g.Expect(server.writes()).NotTo(ContainElement(HaveSuffix(kind + " " + object.GetNamespace() + "/" + object.GetName())))
		})
	}
}

func TestAdoptionTakesOnlyTheExpectedShape(t *testing.T) {
	ours, other := subject("ccluster-manager"), subject("other")
	for name, test := range map[string]struct {
		object client.Object
		want   error
	}{
		"the account": {account("ccluster-manager"), nil},
		"the binding": {binding(bindingName, "cluster-admin", ours), nil},
		"a binding to another role": {
			binding(bindingName, "view", ours),
			&ForeignError{Kind: "ClusterRoleBinding", Name: bindingName},
		},
		"a binding of others too": {
			binding(bindingName, "cluster-admin", ours, other),
			&ForeignError{Kind: "ClusterRoleBinding", Name: bindingName},
		},
		"a binding of another": {
			binding(bindingName, "cluster-admin", other),
			&ForeignError{Kind: "ClusterRoleBinding", Name: bindingName},
		},
		"a binding of nobody": {
			binding(bindingName, "cluster-admin"),
			&ForeignError{Kind: "ClusterRoleBinding", Name: bindingName},
		},
		"a neighbour's account": {
			marked(neighbourMarker, account("ccluster-manager")),
			&ForeignError{Kind: "ServiceAccount", Namespace: "kube-system", Name: "ccluster-manager"},
		},
		// Nobody else makes objects of these names: there is nothing to adopt.
		"a claim": {&corev1.ConfigMap{ObjectMeta: named("kube-system", claimName)}, &ClaimedError{ConfigMap: claimName}},
		"a role": {
			&rbacv1.Role{ObjectMeta: named("kube-system", selfName)},
			&ForeignError{Kind: "Role", Namespace: "kube-system", Name: selfName},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			wanted := wantedOf(nil)
			wanted.Adopt = true
			server := newFakePlane(identified(test.object))
			plane := newPlane(t, server, wanted)
			err := build(t.Context(), plane)
			if test.want != nil {
				g.Expect(err).To(Equal(test.want))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(plane.Wrote()).To(ContainElement(HaveField("UID", string(test.object.GetUID()))))
			live, _ := test.object.DeepCopyObject().(client.Object)
			g.Expect(server.find(t, live, test.object.GetNamespace(), test.object.GetName())).To(BeTrue())
			g.Expect(ourMarker.Owns(live)).To(BeTrue())
		})
	}
}

func TestAdoptionOfARoleBinding(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*rbacv1.RoleBinding)
		ok     bool
	}{
		"the same":        {func(*rbacv1.RoleBinding) {}, true},
		"another role":    {func(b *rbacv1.RoleBinding) { b.RoleRef.Name = "admin" }, false},
		"another subject": {func(b *rbacv1.RoleBinding) { b.Subjects[0].Namespace = "other" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			existing := &rbacv1.RoleBinding{
				ObjectMeta: named("team-a", bindingName), RoleRef: clusterRole("edit"),
				Subjects: []rbacv1.Subject{subject("ccluster-manager")},
			}
			test.change(existing)
			wanted := wantedOf(&ccluster.Access{Binding: ccluster.BindingRoleBindings, ClusterRoleName: "edit", Namespaces: []string{"team-a"}})
			wanted.Adopt = true
			err := build(t.Context(), newPlane(t, newFakePlane(identified(existing)), wanted))
			if test.ok {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(Equal(&ForeignError{Kind: "RoleBinding", Namespace: "team-a", Name: bindingName}))
			}
		})
	}
}

func TestATerminatingObjectIsWaitedFor(t *testing.T) {
	g := NewWithT(t)
	sa := marked(ourMarker, account("ccluster-manager"))
	now := metav1.Now()
	sa.DeletionTimestamp, sa.Finalizers = &now, []string{"example.com/keep"}
	server := newFakePlane(sa)
	err := build(t.Context(), newPlane(t, server, wantedOf(nil)))
	g.Expect(err).To(Equal(&TerminatingError{Kind: "ServiceAccount", Namespace: "kube-system", Name: "ccluster-manager"}))
	g.Expect(server.writes()).To(Equal([]string{"apply ConfigMap kube-system/" + claimName}))
}

func TestARoleRefIsReplaced(t *testing.T) {
	for name, wanted := range map[string]Wanted{
		"ClusterRoleBinding": wantedOf(nil),
		"RoleBinding":        wantedOf(&ccluster.Access{Binding: ccluster.BindingRoleBindings, Namespaces: []string{"team-a"}}),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			before := wanted
			before.ClusterRole = "view"
			server := newFakePlane()
			g.Expect(build(t.Context(), newPlane(t, server, before))).To(Succeed())
			server.forget()

			plane := newPlane(t, server, wanted)
			g.Expect(build(t.Context(), plane)).To(Succeed())
			id, rights := name+" "+bindingName, "Role kube-system/"+selfName
			if len(wanted.Namespaces) > 0 {
				id, rights = name+" team-a/"+bindingName, "ClusterRole "+bindingName+":self"
			}
			g.Expect(server.writes()).To(Equal([]string{"delete " + id, "apply " + id, "apply " + rights}))
			g.Expect(plane.Wrote()).To(HaveLen(2))
			g.Expect(plane.Objects()).To(ContainElement(plane.Wrote()[0]))
			g.Expect(plane.Wrote()[0].Name).To(Equal(bindingName))

			crb, rb := &rbacv1.ClusterRoleBinding{}, &rbacv1.RoleBinding{}
			ref, uid := &crb.RoleRef, &crb.UID
			var live client.Object = crb
			if len(wanted.Namespaces) > 0 {
				live, ref, uid = rb, &rb.RoleRef, &rb.UID
			}
			g.Expect(server.find(t, live, plane.Wrote()[0].Namespace, bindingName)).To(BeTrue())
			g.Expect(*ref).To(Equal(clusterRole("cluster-admin")))
			g.Expect(string(*uid)).To(Equal(plane.Wrote()[0].UID))
		})
	}
}

func TestDriftIsRepaired(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane()
	g.Expect(build(t.Context(), newPlane(t, server, wantedOf(nil)))).To(Succeed())
	role := &rbacv1.Role{}
	g.Expect(server.find(t, role, "kube-system", selfName)).To(BeTrue())
	rules := role.DeepCopy().Rules
	role.Rules = role.Rules[:1]
	role.Annotations["theirs"] = "kept"
	g.Expect(server.server.Update(t.Context(), role, client.FieldOwner("kubectl-edit"))).To(Succeed())
	server.forget()

	plane := newPlane(t, server, wantedOf(nil))
	g.Expect(build(t.Context(), plane)).To(Succeed())
	g.Expect(server.writes()).To(Equal([]string{"apply Role kube-system/" + selfName}))
	g.Expect(server.applied[0].force).To(BeTrue())
	g.Expect(server.applied[0].body.GetUID()).To(Equal(role.UID))
	g.Expect(plane.Wrote()).To(ConsistOf(HaveField("Kind", "Role")))
	g.Expect(server.find(t, role, "kube-system", selfName)).To(BeTrue())
	g.Expect(role.Rules).To(Equal(rules))
	g.Expect(role.Annotations).To(HaveKeyWithValue("theirs", "kept"))
}

// The bindings of a recreated account are made to follow it.
func TestOwnersFollowTheAccount(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane()
	g.Expect(build(t.Context(), newPlane(t, server, wantedOf(nil)))).To(Succeed())
	sa := account("ccluster-manager")
	g.Expect(server.server.Delete(t.Context(), sa)).To(Succeed())

	plane := newPlane(t, server, wantedOf(nil))
	g.Expect(build(t.Context(), plane)).To(Succeed())
	g.Expect(server.find(t, sa, "kube-system", "ccluster-manager")).To(BeTrue())
	role, rb := &rbacv1.Role{}, &rbacv1.RoleBinding{}
	for _, o := range []client.Object{role, rb} {
		g.Expect(server.find(t, o, "kube-system", selfName)).To(BeTrue())
		g.Expect(o.GetOwnerReferences()).To(ConsistOf(And(
			HaveField("Kind", "ServiceAccount"), HaveField("Name", "ccluster-manager"), HaveField("UID", sa.UID))))
	}
}

func TestWhoeverIsFasterKeepsTheObject(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane()
	server.answer = func(call string) error {
		if call != "apply ConfigMap kube-system/"+claimName || len(server.applied) > 0 {
			return nil
		}
		theirs := marked(foreignMarker, &corev1.ConfigMap{ObjectMeta: named("kube-system", claimName)})
		theirs.Data = map[string]string{"k": "v"}
		return server.server.Create(t.Context(), theirs, client.FieldOwner("other"))
	}
	g.Expect(newPlane(t, server, wantedOf(nil)).Claim(t.Context())).To(Equal(&ClaimedError{ConfigMap: claimName}))
	live := &corev1.ConfigMap{}
	g.Expect(server.find(t, live, "kube-system", claimName)).To(BeTrue())
	g.Expect(foreignMarker.Owns(live)).To(BeTrue())
	g.Expect(live.Data).To(Equal(map[string]string{"k": "v"}))
	g.Expect(live.ManagedFields).To(ConsistOf(HaveField("Manager", "other")))
}

// A plane's refusal may come without the causes that tell what is in conflict.
func TestABareConflictIsForeign(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane()
	server.answer = func(call string) error {
		if call == "apply ServiceAccount kube-system/ccluster-manager" {
			return apierrors.NewConflict(corev1.Resource("serviceaccounts"), "", errors.New("hidden"))
		}
		return nil
	}
	_, err := newPlane(t, server, wantedOf(nil)).Account(t.Context())
	g.Expect(err).To(Equal(&ForeignError{Kind: "ServiceAccount", Namespace: "kube-system", Name: "ccluster-manager"}))
}

func TestAnObjectReplacedMeanwhileIsNotWritten(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane(marked(ourMarker, account("ccluster-manager")))
	server.after = func(call string) {
		if call != "get ServiceAccount kube-system/ccluster-manager" {
			return
		}
		sa := account("ccluster-manager")
		g.Expect(server.server.Delete(t.Context(), sa)).To(Succeed())
		sa = account("ccluster-manager")
		sa.UID = "uid-other"
		g.Expect(server.server.Create(t.Context(), sa)).To(Succeed())
	}
	_, err := newPlane(t, server, wantedOf(nil)).Account(t.Context())
	g.Expect(apierrors.IsConflict(err)).To(BeTrue(), "%v", err)
	live := &corev1.ServiceAccount{}
	g.Expect(server.find(t, live, "kube-system", "ccluster-manager")).To(BeTrue())
	g.Expect(live.UID).To(Equal(types.UID("uid-other")))
	g.Expect(live.Labels).To(BeEmpty())
}

// Callers tell failures apart by the API's error inside.
func TestErrorsOfThePlaneStayReadable(t *testing.T) {
	for call, wanted := range map[string]Wanted{
		"get ConfigMap kube-system/" + claimName:            wantedOf(nil),
		"apply ConfigMap kube-system/" + claimName:          wantedOf(nil),
		"get ServiceAccount kube-system/ccluster-manager":   wantedOf(nil),
		"apply ServiceAccount kube-system/ccluster-manager": wantedOf(nil),
		"apply ClusterRoleBinding " + bindingName:           wantedOf(nil),
		"apply Role kube-system/" + selfName:                wantedOf(nil),
		"apply RoleBinding kube-system/" + selfName:         wantedOf(nil),
		"apply ClusterRole " + bindingName + ":self":        wantedOf(&ccluster.Access{ClusterRoleName: "view"}),
		"apply ClusterRoleBinding " + bindingName + ":self": wantedOf(&ccluster.Access{ClusterRoleName: "view"}),
		"apply RoleBinding a/" + bindingName:                wantedOf(&ccluster.Access{Binding: ccluster.BindingRoleBindings, Namespaces: []string{"a"}}),
		"get ClusterRole " + bindingName + ":self":          wantedOf(&ccluster.Access{Binding: ccluster.BindingRoleBindings, Namespaces: []string{"a"}}),
		"get RoleBinding kube-system/" + selfName:           wantedOf(&ccluster.Access{Binding: ccluster.BindingRoleBindings, Namespaces: []string{"a"}}),
	} {
		t.Run(call, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakePlane()
			server.answer = func(c string) error {
				if c == call {
					return forbidden("things")
				}
				return nil
			}
			err := build(t.Context(), newPlane(t, server, wanted))
			g.Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
			g.Expect(server.calls[len(server.calls)-1]).To(Equal(call), "nothing is done after it")
		})
	}
}

func TestReplacingReportsAFailedDeletion(t *testing.T) {
	g := NewWithT(t)
	server := newFakePlane(marked(ourMarker, binding(bindingName, "view")))
	server.answer = func(call string) error {
		if call == "delete ClusterRoleBinding "+bindingName {
			return forbidden("clusterrolebindings")
		}
		return nil
	}
	err := newPlane(t, server, wantedOf(nil)).Access(t.Context(), testAccount)
	g.Expect(apierrors.IsForbidden(err)).To(BeTrue())
	g.Expect(err).To(MatchError(MatchRegexp("^replace ClusterRoleBinding .*: ")))
}
