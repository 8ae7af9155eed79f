// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import "slices"

func infraPlaneCases() []Case {
	s := infraPlane()
	status := s.withStatus(Object{
		"conditions":         []any{condition("Available")},
		"observedGeneration": int64(1),
		"server":             "https://ccluster-ip-control-plane:6443",
		"argoCDSecretName":   "tenant-a.edge-1",
	})
	credentials := []edit{set("spec.clusterCredentialsRef.name", "edge-1-credentials")}
	return slices.Concat(
		[]Case{
			s.accept(Rule{}, "no spec"),
			s.accept(Rule{}, "empty spec", set("spec", Object{})),
			s.accept(Rule{}, "longest name", set("metadata.name", letters(253))),
			s.change(Rule{}, "add credentials", nil, credentials, nil),
			s.change(Rule{}, "remove credentials", credentials, nil, nil),
		},
		s.but(credentials...).reference("spec.clusterCredentialsRef"),
		status.sharedStatusCases(),
		status.lengths("status.server", 1, 1024, letters),
		status.lengths("status.argoCDSecretName", 1, 253, letters),
	)
}
