// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"slices"
)

// registrationStatus has every field.
func registrationStatus() subject {
	return registration().withStatus(Object{
		"conditions":           []any{condition("Ready")},
		"observedGeneration":   int64(1),
		"server":               "https://ccluster-ip-control-plane:6443",
		"kubernetesVersion":    "v1.37.2",
		"clusterUID":           "0a9b8c7d",
		"serviceAccount":       Object{"namespace": "kube-system", "name": "ccluster-manager", "uid": "1a2b"},
		"token":                Object{"type": "Bound", "secretName": "anchor", "issuedAt": "2026-01-02T03:04:05Z", "expiresAt": "2026-02-01T03:04:05Z"},
		"probe":                Object{"inputs": "0a1b", "completedAt": "2026-01-02T03:04:05Z"},
		"infraPlaneRef":        Object{"name": "edge-1"},
		"credentialsSecretRef": Object{"name": "edge-1-credentials"},
		"remoteObjects":        []any{remoteObject(0)},
	})
}

func remoteObject(i int) any {
	return Object{
		"apiVersion": "v1", "kind": "ServiceAccount", "namespace": "kube-system", "name": fmt.Sprintf("account-%d", i), "uid": "1a2b",
	}
}

func registrationStatusCases() []Case {
	s := registrationStatus()
	const account, token, remote = "status.serviceAccount", "status.token", "status.remoteObjects"
	return slices.Concat(
		s.sharedStatusCases(),
		s.lengths("status.server", 1, 1024, letters),
		s.lengths("status.kubernetesVersion", 1, 64, letters),
		s.lengths("status.clusterUID", 1, 128, letters),
		s.required(account+".namespace"),
		s.lengths(account+".namespace", 1, 63, letters),
		s.required(account+".name"),
		s.lengths(account+".name", 1, 253, letters),
		s.lengths(account+".uid", 1, 128, letters),
		s.required(token+".type"),
		s.enum(token+".type", "LongLived", "Bound"),
		s.lengths(token+".secretName", 1, 253, letters),
		s.dateTime(token+".issuedAt"),
		s.dateTime(token+".expiresAt"),
		s.required("status.probe.inputs"),
		s.lengths("status.probe.inputs", 1, 64, letters),
		s.dateTime("status.probe.completedAt"),
		s.reference("status.infraPlaneRef"),
		s.reference("status.credentialsSecretRef"),
		s.maxItems(remote, 256, remoteObject),
		s.required(remote+"[].apiVersion"),
		s.lengths(remote+"[].apiVersion", 1, 128, letters),
		s.required(remote+"[].kind"),
		s.lengths(remote+"[].kind", 1, 63, letters),
		s.required(remote+"[].name"),
		s.lengths(remote+"[].name", 1, 253, letters),
		s.lengths(remote+"[].namespace", 1, 63, letters),
		s.lengths(remote+"[].uid", 1, 128, letters),
		[]Case{s.accept(Rule{}, "the same object twice", set(remote, []any{remoteObject(0), remoteObject(0)}))},
	)
}

// reference to an object by its name. The subject has it.
func (s subject) reference(path string) []Case {
	return slices.Concat(
		s.required(path+".name"),
		s.lengths(path+".name", 1, 253, letters),
		s.dnsSubdomain(path+".name"),
	)
}
