// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"fmt"
	"slices"
)

// registrationProbeCases are about the Job that shows whether Pods run.
func registrationProbeCases() []Case {
	s := registration()
	const namespace, image, command = "spec.probe.namespace", "spec.probe.image", "spec.probe.command"
	const secret, timeout = "spec.probe.imagePullSecretRef", "spec.probe.timeoutSeconds"
	fewest := s.rule(command, "minItems")
	empty := s.accept(Rule{}, "an empty probe", set("spec.probe", Object{}))
	return slices.Concat(
		[]Case{
			empty,
			s.accept(fewest, "one", set(command, []any{"true"})),
			s.reject(fewest, "none", invalid(command, "should have at least 1 items"), set(command, []any{})),
			s.accept(Rule{}, "the same argument twice", set(command, []any{"echo", "a", "a", ""})),
		},
		s.lengths(namespace, 1, 63, letters),
		s.dnsLabel(namespace),
		s.lengths(image, 1, 512, letters),
		s.pattern(image,
			[]string{"busybox", "busybox:1.37", "registry.example:5000/a/b_c@sha256:0a", "A.b-c"},
			[]string{"busy box", "busybox\n", "a?b", "a\"b", "größe"}),
		s.maxItems(command, 32, func(i int) any { return fmt.Sprintf("argument-%d", i) }),
		s.lengths(command+"[]", 0, 1024, letters),
		s.but(set(secret+".name", "pull")).reference(secret),
		s.minimum(timeout, 10),
		s.maximum(timeout, 3600),
	)
}
