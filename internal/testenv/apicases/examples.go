// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

// spelledOut has every optional field of a registration, most of them at their defaults or empty.
const spelledOut = `
bootstrap:
  kubeconfigSecretRef: {name: edge-1-kubeconfig, key: value}
  context: ""
  afterRegistration: Keep
endpoint:
  server: https://ccluster-ip-control-plane:6443
  caBundle: UEVN
  tlsServerName: ""
  proxyURL: ""
serviceAccount: {namespace: kube-system, name: ccluster-manager}
access:
  binding: ClusterRoleBinding
  clusterRoleName: cluster-admin
  namespaces: []
  clusterResources: Exclude
token:
  type: LongLived
  expirationSeconds: 2592000
adoption: Never
clusterLabels: {}
clusterAnnotations: {}
probe:
  namespace: default
  image: busybox:1.37
  command: [echo, hello]
  imagePullSecretRef: {name: pull}
  timeoutSeconds: 120
deletionPolicy: Revoke
reconciliation: Active
`

// parse panics for text that is not an object: it is a constant of this package.
func parse(text string) Object {
	o := Object{}
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	return o
}

// exampleCases are whole objects: examples, defaults and fields that nobody knows.
func exampleCases() []Case {
	full := parse(spelledOut)
	// The parser knows one type of number only.
	full["token"].(map[string]any)["expirationSeconds"] = int64(2592000)
	full["probe"].(map[string]any)["timeoutSeconds"] = int64(120)

	s, in := registration(), inClusterRegistration()
	example := s.accept(Rule{}, "spelled out", set("spec", full))
	example.Stored = full
	return slices.Concat(
		[]Case{example, in.accept(Rule{}, "in-cluster with all that is allowed",
			set("spec.adoption", "Never"), set("spec.clusterLabels", Object{"a": "b"}), set("spec.clusterAnnotations", Object{"a": "b"}),
			set("spec.deletionPolicy", "Retain"), set("spec.reconciliation", "Suspended"))},
		defaultCases(),
		s.unknownFields("spec", "spec.bootstrap", "spec.bootstrap.kubeconfigSecretRef", "spec.endpoint", "spec.access", "metadata"),
		in.unknownFields("spec.inCluster"),
		infraPlane().unknownFields("spec", "spec.clusterCredentialsRef"),
		componentSet().unknownFields("spec.components[]", "spec.components[].infraPlaneRef"),
	)
}

// defaultCases pin down what is stored for an object that leaves fields out.
func defaultCases() []Case {
	s := registration()
	always := func(extra Object) Object {
		stored := Object{
			"bootstrap":      Object{"kubeconfigSecretRef": Object{"name": "edge-1-kubeconfig"}, "afterRegistration": "Keep"},
			"adoption":       "Never",
			"deletionPolicy": "Revoke",
			"reconciliation": "Active",
		}
		maps.Copy(stored, extra)
		return stored
	}
	stored := func(what string, want Object, edits ...edit) Case {
		c := s.accept(Rule{}, "defaults of "+what, edits...)
		c.Stored = want
		return c
	}
	inCluster := inClusterRegistration().accept(Rule{}, "defaults in-cluster")
	inCluster.Stored = Object{"inCluster": Object{}, "adoption": "Never", "deletionPolicy": "Revoke", "reconciliation": "Active"}
	return []Case{
		inCluster,
		stored("a minimal registration", always(nil)),
		stored("endpoint", always(Object{"endpoint": Object{}}), set("spec.endpoint", Object{})),
		stored("serviceAccount", always(Object{"serviceAccount": Object{"namespace": "kube-system", "name": "ccluster-manager"}}),
			set("spec.serviceAccount", Object{})),
		stored("access", always(Object{"access": Object{
			"binding": "ClusterRoleBinding", "clusterRoleName": "cluster-admin", "clusterResources": "Exclude",
		}}), set("spec.access", Object{})),
		stored("token", always(Object{"token": Object{"type": "LongLived", "expirationSeconds": int64(2592000)}}),
			set("spec.token", Object{})),
		stored("a null", always(nil), set("spec.adoption", nil), set("spec.endpoint", nil)),
	}
}

// unknownFields below each of the paths.
func (s subject) unknownFields(paths ...string) []Case {
	var cases []Case
	for _, path := range paths {
		field := path + ".unknown"
		cases = append(cases, s.reject(Rule{}, "unknown field "+field, Cause{
			Type: CauseUnknownField, Field: fieldOf(field), Message: "unknown field",
		}, set(field, "v")))
	}
	return cases
}
