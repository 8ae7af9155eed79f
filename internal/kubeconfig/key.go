// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"slices"
	"strings"
)

// defaultKeys are the Secret keys under which tools store a kubeconfig.
var defaultKeys = []string{"value", "kubeconfig", "config", "admin.conf"}

// SelectKey returns the key of a bootstrap Secret that holds the kubeconfig:
// the wanted one if that is not empty, else the only one present of value,
// kubeconfig, config and admin.conf. The error is a *Rejection.
func SelectKey(keys []string, wanted string) (string, error) {
	const field = "bootstrap.kubeconfigSecretRef.key"
	if wanted != "" {
		if slices.Contains(keys, wanted) {
			return wanted, nil
		}
		return "", reject(KeyNotFound, field, "names a key that the Secret does not have; correct it or add the key")
	}
	var present []string
	for _, key := range defaultKeys {
		if slices.Contains(keys, key) {
			present = append(present, key)
		}
	}
	switch len(present) {
	case 1:
		return present[0], nil
	case 0:
		return "", reject(KeyNotFound, field, "must be set: the Secret has none of the keys "+strings.Join(defaultKeys, ", "))
	default:
		return "", reject(KeyAmbiguous, field, "must be set: the Secret has the keys "+strings.Join(present, ", "))
	}
}
