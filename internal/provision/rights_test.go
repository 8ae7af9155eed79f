// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
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

// rights answers calls as RBAC would, for one account and the bindings that are there.
type rights struct {
	server  client.Client
	subject rbacv1.Subject
}

var resourceOf = map[string]string{
	"ConfigMap": "configmaps", "Secret": "secrets", "ServiceAccount": "serviceaccounts",
	"Role": "roles", "RoleBinding": "rolebindings", "ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings",
}

func (r rights) answer(ctx context.Context) func(string) error {
	return func(call string) error {
		verb, kind, namespace, name := parseCall(call)
		sa := &corev1.ServiceAccount{}
		if err := r.server.Get(ctx, client.ObjectKey{Namespace: r.subject.Namespace, Name: r.subject.Name}, sa); err != nil {
			return apierrors.NewUnauthorized("the account is gone")
		}
		group := ""
		if strings.Contains(kind, "Role") {
			group = rbacv1.GroupName
		}
		resource := resourceOf[kind]
		if resource == "" {
			return errors.New("not a call that is known: " + call)
		}
		for _, rule := range r.rules(ctx, namespace) {
			if (slices.Contains(rule.Verbs, "*") || slices.Contains(rule.Verbs, verb)) &&
				(slices.Contains(rule.APIGroups, "*") || slices.Contains(rule.APIGroups, group)) &&
				(slices.Contains(rule.Resources, "*") || slices.Contains(rule.Resources, resource)) &&
				(len(rule.ResourceNames) == 0 || (name != "" && slices.Contains(rule.ResourceNames, name))) {
				return nil
			}
		}
		return forbidden(resource)
	}
}

// parseCall reads calls as fakePlane notes them. For a list the last part is a namespace.
func parseCall(call string) (verb, kind, namespace, name string) {
	parts := strings.Fields(call)
	verb, kind = parts[0], parts[1]
	if verb == "apply" {
		verb = "patch"
	}
	if len(parts) == 2 {
		return verb, kind, "", ""
	}
	if verb == "list" {
		return verb, kind, parts[2], ""
	}
	if before, after, ok := strings.Cut(parts[2], "/"); ok {
		return verb, kind, before, after
	}
	return verb, kind, "", parts[2]
}

func (r rights) rules(ctx context.Context, namespace string) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	var cluster rbacv1.ClusterRoleBindingList
	if err := r.server.List(ctx, &cluster); err != nil {
		panic(err)
	}
	for _, b := range cluster.Items {
		if slices.Contains(b.Subjects, r.subject) {
			rules = append(rules, r.rulesOf(ctx, b.RoleRef, "")...)
		}
	}
	if namespace == "" {
		return rules
	}
	var local rbacv1.RoleBindingList
	if err := r.server.List(ctx, &local, client.InNamespace(namespace)); err != nil {
		panic(err)
	}
	for _, b := range local.Items {
		if slices.Contains(b.Subjects, r.subject) {
			rules = append(rules, r.rulesOf(ctx, b.RoleRef, namespace)...)
		}
	}
	return rules
}

func (r rights) rulesOf(ctx context.Context, ref rbacv1.RoleRef, namespace string) []rbacv1.PolicyRule {
	if ref.Name == "cluster-admin" {
		return []rbacv1.PolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}}}
	}
	if ref.Kind == "Role" {
		role := &rbacv1.Role{}
		if r.server.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, role) != nil {
			return nil
		}
		return role.Rules
	}
	// The built-in view and edit give nothing that matters here.
	role := &rbacv1.ClusterRole{}
	if r.server.Get(ctx, client.ObjectKey{Name: ref.Name}, role) != nil {
		return nil
	}
	return role.Rules
}

// asAccount makes a plane answer as it does to the account's own token.
func asAccount(t *testing.T, server *fakePlane) {
	t.Helper()
	server.answer = rights{server: server.server, subject: subject(DefaultAccountName)}.answer(t.Context())
}

// accounts are those that are to look after themselves; keeps tells whether after their tokens,
// too.
var accounts = map[string]struct {
	access    *ccluster.Access
	namespace string
	keeps     bool
}{
	"cluster-admin":                       {nil, "kube-system", true},
	"cluster role beside controllers":     {viewer, "kube-system", false},
	"role bindings beside controllers":    {teams, "kube-system", false},
	"cluster role, namespace of its own":  {viewer, "ops", true},
	"role bindings, namespace of its own": {teams, "ops", true},
	"cluster-admin, namespace of its own": {nil, "ops", true},
	"cluster-admin in single namespaces":  {&ccluster.Access{Binding: ccluster.BindingRoleBindings, Namespaces: []string{"team-a"}}, "kube-system", false},
}

// ofAccount builds a plane for an account, and has it answer as to that account's token.
func ofAccount(t *testing.T, access *ccluster.Access, namespace string) (*fakePlane, *Plane, []ccluster.RemoteObject) {
	t.Helper()
	wanted := wantedOf(access)
	wanted.Account.Namespace = namespace
	server, objects := builtFor(t, wanted)
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: DefaultAccountName}
	server.answer = rights{server: server.server, subject: subject}.answer(t.Context())
	return server, newPlane(t, server, wanted).AsAccount(), objects
}

func TestTheAccountMayAudit(t *testing.T) {
	for name, test := range accounts {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, plane, objects := ofAccount(t, test.access, test.namespace)
			g.Expect(build(t.Context(), plane)).To(Succeed())
			g.Expect(plane.wanted.KeepsTokens()).To(Equal(test.keeps))
			err := plane.KeepToken(t.Context(), firstToken, false)
			if !test.keeps {
				g.Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
				plane.Recall(objects[len(objects)-1])
			} else {
				g.Expect(err).NotTo(HaveOccurred())
			}
			g.Expect(server.writes()).To(BeEmpty())
			g.Expect(plane.Objects()).To(Equal(objects))
		})
	}
}

// The account may rotate its token and mend itself, unless it could then have the tokens of
// the controllers in kube-system.
func TestTheAccountMayRenewItsToken(t *testing.T) {
	for name, test := range accounts {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, plane, _ := ofAccount(t, test.access, test.namespace)
			gone := anchorSecret(firstToken)
			gone.Namespace = test.namespace
			g.Expect(server.server.Delete(t.Context(), gone)).To(Succeed())
			_, err := plane.LongLived(t.Context(), testAccount, firstToken)
			if !test.keeps {
				g.Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
				return
			}
			g.Expect(err).To(MatchError(ErrTokenPending))
			g.Expect(plane.PruneTokens(t.Context(), "")).To(Succeed())
		})
	}
}

// Whoever may make a Secret in kube-system can have a token of any controller there.
func TestAWeakAccountHasNoRightToSecretsBesideControllers(t *testing.T) {
	for name, test := range accounts {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, _, _ := ofAccount(t, test.access, test.namespace)
			role := &rbacv1.Role{}
			g.Expect(server.find(t, role, test.namespace, selfName)).To(BeTrue())
			reaches := slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool {
				return slices.Contains(r.Resources, "secrets") || slices.Contains(r.Resources, "serviceaccounts/token")
			})
			g.Expect(reaches).To(Equal(test.keeps))
		})
	}
}

func TestTheAccountRemovesItself(t *testing.T) {
	for name, test := range map[string]struct {
		access *ccluster.Access
		// hidden may name what does not exist: the account cannot know.
		// refused: the owner of the plane has not let the account remove itself.
		refused bool
		left    []string
	}{
		"cluster-admin": {access: nil},
		"cluster role":  {access: viewer},
		"role bindings": {access: teams},
		"none": {
			access:  ungranted,
			refused: true,
			left:    []string{"ConfigMap kube-system/" + claimName, "ServiceAccount kube-system/" + DefaultAccountName, "Secret kube-system/" + firstToken},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, objects := built(t, test.access)
			asAccount(t, server)
			err := newPlane(t, server, wantedOf(test.access)).Remove(t.Context(), objects, false)
			if test.refused {
				g.Expect(apierrors.IsForbidden(err)).To(BeTrue())
				g.Expect(err).To(MatchError(HavePrefix("read ServiceAccount ")))
			} else {
				g.Expect(err).NotTo(HaveOccurred())
			}
			collectGarbage(t, server)
			g.Expect(remaining(t, server, objects)).To(ConsistOf(test.left))
		})
	}
}

// A spec that has been changed since may have left something that only a list can find.
func TestTheAccountRemovesWhatAnEarlierSpecLeft(t *testing.T) {
	g := NewWithT(t)
	server, objects := built(t, teams)
	later := newPlane(t, server, wantedOf(nil))
	g.Expect(build(t.Context(), later)).To(Succeed())
	asAccount(t, server)
	g.Expect(newPlane(t, server, wantedOf(nil)).Remove(t.Context(), later.Objects(), false)).To(Succeed())
	collectGarbage(t, server)
	g.Expect(remaining(t, server, append(objects, later.Objects()...))).To(BeEmpty())
}
