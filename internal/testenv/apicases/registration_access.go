// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"slices"
)

func numberedNamespace(i int) any { return fmt.Sprintf("tenant-%d", i) }

// registrationAccessCases are about who the registered account is and what it may do.
func registrationAccessCases() []Case {
	s := registration()
	const account = "spec.serviceAccount.name"
	const accountNamespace = "spec.serviceAccount.namespace"
	const lifetime = "spec.token.expirationSeconds"
	return slices.Concat(
		s.lengths(account, 1, 63, letters),
		s.dnsLabel(account),
		s.lengths(accountNamespace, 1, 63, letters),
		s.dnsLabel(accountNamespace),
		s.but(set("spec.token.type", "Bound")).minimum(lifetime, 600),
		s.but(set("spec.token.type", "Bound")).maximum(lifetime, 4294967296),
		s.enum("spec.token.type", "LongLived", "Bound"),
		s.role(),
		s.binding(),
		s.but(set("spec.access.binding", "RoleBindings")).namespaces(),
	)
}

func (s subject) role() []Case {
	const role = "spec.access.clusterRoleName"
	const dots = "must not be '.' or '..'"
	return slices.Concat(
		s.lengths(role, 1, 253, letters),
		s.pattern(role, []string{"cluster-admin", "system:node", "Größe", "a b"}, []string{"a/b", "a%b"}),
		s.texts(s.cel(role, dots), invalid(role, dots), []string{"...", ".a"}, []string{".", ".."}),
	)
}

func (s subject) binding() []Case {
	const binding, namespaces, resources = "spec.access.binding", "spec.access.namespaces", "spec.access.clusterResources"
	one := set(namespaces, []any{"tenant-a"})

	const unused = "`namespaces` must be empty unless `binding` is 'RoleBindings'"
	mustBeEmpty := s.cel("spec.access", unused)
	const missing = "`namespaces` must name at least one namespace with `binding` 'RoleBindings'"
	mustBeNamed := s.cel("spec.access", missing)
	const included = "`clusterResources` must be 'Exclude' unless `binding` is 'RoleBindings'"
	mustExclude := s.cel("spec.access", included)

	cases := []Case{
		s.accept(mustBeEmpty, "RoleBindings", set(binding, "RoleBindings"), one),
		s.reject(mustBeEmpty, "default binding", invalid(namespaces, unused), one),
		s.accept(mustBeNamed, "one namespace", set(binding, "RoleBindings"), one),
		s.reject(mustBeNamed, "absent", invalid(namespaces, missing), set(binding, "RoleBindings")),
		s.reject(mustBeNamed, "empty", invalid(namespaces, missing), set(binding, "RoleBindings"), set(namespaces, []any{})),
		s.accept(mustExclude, "Include with RoleBindings", set(binding, "RoleBindings"), one, set(resources, "Include")),
		s.reject(mustExclude, "Include with the default binding", invalid(resources, included), set(resources, "Include")),
	}
	for _, value := range []string{"ClusterRoleBinding", "None"} {
		cases = append(cases,
			s.accept(mustBeEmpty, "empty with "+value, set(binding, value), set(namespaces, []any{})),
			s.reject(mustBeEmpty, value, invalid(namespaces, unused), set(binding, value), one),
			s.accept(mustExclude, "Exclude with "+value, set(binding, value), set(resources, "Exclude")),
			s.reject(mustExclude, "Include with "+value, invalid(resources, included), set(binding, value), set(resources, "Include")),
		)
	}
	return slices.Concat(cases,
		s.but(one).texts(s.rule(binding, "enum"), Cause{}, []string{"RoleBindings"}, nil),
		s.enumOf(binding, []string{"ClusterRoleBinding", "None"}, "ClusterRoleBinding", "RoleBindings", "None"),
		s.but(set(binding, "RoleBindings"), one).enum(resources, "Exclude", "Include"),
	)
}

func (s subject) namespaces() []Case {
	const namespaces = "spec.access.namespaces"
	const label = "items must be DNS labels"
	r := s.cel(namespaces, label)
	cases := []Case{s.accept(r, "labels", set(namespaces, []any{"a", "0-a"}))}
	for _, bad := range []string{"A", "a.b", "-a", "a_b"} {
		cases = append(cases, s.reject(r, "rejects "+show(bad), invalid(namespaces, label), set(namespaces, []any{"a", bad})))
	}
	return slices.Concat(cases,
		s.maxItems(namespaces, 100, numberedNamespace),
		s.unique(namespaces, numberedNamespace),
		s.lengths(namespaces+"[]", 1, 63, letters),
	)
}
