// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

// registrationUpdateCases are about what must not change.
func registrationUpdateCases() []Case {
	s := registration()

	const exchange = "`bootstrap` and `inCluster` must not be exchanged: create a new registration"
	choice := s.cel("spec", exchange)
	cases := []Case{
		s.change(choice, "another kubeconfig", nil, []edit{set("spec.bootstrap.kubeconfigSecretRef.name", "other")}, nil),
		inClusterRegistration().change(choice, "suspended in-cluster", nil, []edit{set("spec.reconciliation", "Suspended")}, nil),
		s.change(choice, "to inCluster", nil, []edit{unset("spec.bootstrap"), set("spec.inCluster", Object{})},
			&Cause{Type: "FieldValueForbidden", Field: "spec", Message: exchange}),
		inClusterRegistration().change(choice, "to bootstrap", nil,
			[]edit{unset("spec.inCluster"), set("spec.bootstrap.kubeconfigSecretRef.name", "edge-1-kubeconfig")},
			&Cause{Type: "FieldValueForbidden", Field: "spec", Message: exchange}),
	}
	cases = append(cases, s.immutable("name", "ccluster-manager")...)
	cases = append(cases, s.immutable("namespace", "kube-system")...)

	// Everything else can change, and come and go.
	everything := []edit{
		set("spec.endpoint", Object{"server": "https://h"}),
		set("spec.access", Object{"binding": "None"}),
		set("spec.token", Object{"type": "Bound"}),
		set("spec.adoption", "Unmarked"),
		set("spec.bootstrap.context", "other"),
		set("spec.bootstrap.afterRegistration", "Delete"),
		set("spec.clusterLabels", Object{"a": "b"}),
		set("spec.clusterAnnotations", Object{"a": "b"}),
		set("spec.deletionPolicy", "Retain"),
		set("spec.reconciliation", "Suspended"),
	}
	return append(cases,
		s.change(Rule{}, "add all that is mutable", nil, everything, nil),
		s.change(Rule{}, "remove all that is mutable", everything, nil, nil),
	)
}

// change is an update of the subject, edited by before, to the subject, edited by after.
func (s subject) change(r Rule, what string, before, after []edit, want *Cause) Case {
	return Case{
		Name: s.name(r, what), Kind: s.kind, Rule: r, Request: Update,
		Old: s.with(before...), New: s.with(after...), Want: want,
	}
}

// immutable field of spec.serviceAccount, with its default. Neither may be a way around: the
// parent, which is optional, and the default.
func (s subject) immutable(name, fallback string) []Case {
	message := "`serviceAccount." + name + "` must not change: create a new registration"
	r := s.cel("spec", message)
	want := &Cause{Type: "FieldValueForbidden", Field: "spec", Message: message}
	const parent = "spec.serviceAccount"
	empty := []edit{set(parent, Object{})}
	same := []edit{set(parent, Object{name: fallback})}
	other := []edit{set(parent, Object{name: "other"})}
	third := []edit{set(parent, Object{name: "third"})}
	return []Case{
		s.change(r, "absent to empty", nil, empty, nil),
		s.change(r, "empty to absent", empty, nil, nil),
		s.change(r, "absent to its default", nil, same, nil),
		s.change(r, "its default to absent", same, nil, nil),
		s.change(r, "other stays", other, append(other, set("spec.reconciliation", "Suspended")), nil),
		s.change(r, "absent to other", nil, other, want),
		s.change(r, "other to absent", other, nil, want),
		s.change(r, "other to empty", other, empty, want),
		s.change(r, "default to other", same, other, want),
		s.change(r, "other to default", other, same, want),
		s.change(r, "other to third", other, third, want),
	}
}
