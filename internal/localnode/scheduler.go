// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

func (n *Node) scheduler(options Options, kubeconfig string) (localplane.Program, error) {
	binary, err := localplane.Scheduler(options.ControlPlane)
	if err != nil {
		return localplane.Program{}, err
	}
	return localplane.Program{
		Name: "kube-scheduler", Binary: binary, Dir: n.dir,
		Args: []string{
			"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
			"--leader-elect=false", "--secure-port=0", "--profiling=false",
		},
		Env: []string{"HOME=" + n.dir, "TMPDIR=" + n.dir},
	}, nil
}
