// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	// probeUser is one without a name and without rights, as images for such use have it.
	probeUser = 65532
	// probeGrace is how long after the Timeout the cluster itself ends the Job, and probeKeep how
	// long after its end it removes it: for when nobody else does.
	probeGrace, probeKeep = time.Minute, 5 * time.Minute
)

type object = map[string]any

// manifest is the Job.
func (o ProbeOptions) manifest() (string, error) {
	labels := object{ProbeLabel: o.ID, "app.kubernetes.io/managed-by": "ccluster-go"}
	container := object{
		"name": "probe", "image": o.Image,
		"resources": object{
			"requests": object{"cpu": "10m", "memory": "16Mi"},
			"limits":   object{"memory": "128Mi"},
		},
		"securityContext": object{
			"allowPrivilegeEscalation": false,
			"readOnlyRootFilesystem":   true,
			"capabilities":             object{"drop": []string{"ALL"}},
		},
	}
	if len(o.Command) > 0 {
		container["command"] = o.Command
	}
	pod := object{
		"restartPolicy":                "Never",
		"automountServiceAccountToken": false,
		"enableServiceLinks":           false,
		"securityContext": object{
			"runAsNonRoot": true, "runAsUser": probeUser, "runAsGroup": probeUser,
			"seccompProfile": object{"type": "RuntimeDefault"},
		},
		"containers": []object{container},
	}
	if o.PullSecret != "" {
		pod["imagePullSecrets"] = []object{{"name": o.PullSecret}}
	}
	job := object{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": object{"generateName": "ccluster-probe-", "labels": labels},
		"spec": object{
			"backoffLimit":            0,
			"activeDeadlineSeconds":   int64((o.Timeout + probeGrace) / time.Second),
			"ttlSecondsAfterFinished": int64(probeKeep / time.Second),
			"template":                object{"metadata": object{"labels": labels}, "spec": pod},
		},
	}
	text, err := json.Marshal(job)
	if err != nil {
		return "", fmt.Errorf("encode the probe: %w", err)
	}
	return string(text), nil
}
