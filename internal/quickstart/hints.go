// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import "strings"

// hints say what to try.
func (s *scene) hints() {
	s.printer.text(hintText(s.kubectl.shown(), s.work.path(controlKubeconfig), s.work.path(infraKubeconfig), s.work.path(managerLog)))
}

func hintText(kubectl, control, infra, log string) string {
	return strings.NewReplacer("KUBECTL", kubectl, "CONTROL", control, "INFRA", infra, "LOG", log).Replace(`
The planes and the manager run until Ctrl-C. Try this in another terminal, in this folder:

  export KUBECONFIG=CONTROL
  KUBECTL get clusterregistrations -A --watch
  KUBECTL get events -n tenant-a

What was made on the infra plane. Delete some of it, and see it come back:

  KUBECTL --kubeconfig INFRA get serviceaccounts,secrets,roles,rolebindings,clusterrolebindings -A -l ccluster.nvidia.com/registration-hash
  KUBECTL --kubeconfig INFRA delete clusterrolebinding ccluster:kube-system:ccluster-manager

Take it all away, the token included:

  KUBECTL delete clusterregistration -n tenant-a edge-1

The manager's log is in LOG
`)
}
