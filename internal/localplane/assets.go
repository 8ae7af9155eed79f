// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	etcdBinary              = "etcd"
	apiServerBinary         = "kube-apiserver"
	controllerManagerBinary = "kube-controller-manager"
	kubectlBinary           = "kubectl"
	schedulerBinary         = "kube-scheduler"

	assetsVariable = "KUBEBUILDER_ASSETS"
)

// ErrNoAssets is in every error about a missing binary.
var ErrNoAssets = errors.New(`run "make envtest-bin" and set ` + assetsVariable + " to the folder it names")

// Kubectl is the path of kubectl in the folder assets, or in
// $KUBEBUILDER_ASSETS when that is empty.
func Kubectl(assets string) (string, error) {
	return binary(assets, kubectlBinary)
}

// Scheduler is the path of kube-scheduler, found as Kubectl's is.
func Scheduler(assets string) (string, error) { return binary(assets, schedulerBinary) }

// binary is the path of an executable. A variable such as
// TEST_ASSET_KUBE_APISERVER names a single one and wins, as it does in envtest.
func binary(assets, name string) (string, error) {
	variable := "TEST_ASSET_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	path := os.Getenv(variable)
	if path == "" {
		if assets == "" {
			assets = os.Getenv(assetsVariable)
		}
		if assets == "" {
			return "", fmt.Errorf("find %s: %w", name, ErrNoAssets)
		}
		path = filepath.Join(assets, name)
	}
	// Children run in another folder.
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	if _, err := exec.LookPath(absolute); err != nil {
		return "", fmt.Errorf("find %s: %w; %w", name, err, ErrNoAssets)
	}
	return absolute, nil
}
