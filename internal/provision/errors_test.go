// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestErrorsSayWhatToDo(t *testing.T) {
	for want, err := range map[string]error{
		"Secret kube-system/t on the infra plane belongs to somebody else: remove it, or set spec.serviceAccount to another name":                                              &ForeignError{Kind: "Secret", Namespace: "kube-system", Name: "t"},
		"ClusterRole ccluster:a:b on the infra plane belongs to somebody else: remove it, or set spec.serviceAccount to another name":                                          &ForeignError{Kind: "ClusterRole", Name: "ccluster:a:b"},
		"the cluster is already registered with this control plane: delete the other registration, or ConfigMap kube-system/c on the infra plane if that registration is gone": &ClaimedError{ConfigMap: "c"},
		"ServiceAccount sa on the infra plane is being deleted":                                                                                                                &TerminatingError{Kind: "ServiceAccount", Namespace: "ns", Name: "sa"},
		"not seen on the infra plane: ConfigMap kube-system/c, ClusterRole r":                                                                                                  &HiddenError{Objects: []string{"ConfigMap kube-system/c", "ClusterRole r"}},
	} {
		NewWithT(t).Expect(err).To(MatchError(want))
	}
}
