// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"context"
	"fmt"
	"regexp"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// examine reads from the probe's Pod why it did not succeed, and its log.
func (r *ProbeResult) examine(ctx context.Context, client *k8s.Client, selector string) error {
	pods, err := client.List(ctx, k8s.Pods, selector)
	if err != nil {
		return fmt.Errorf("list the probe's Pods: %w", err)
	}
	if len(pods.Items) == 0 {
		if r.Outcome != ProbeSucceeded {
			r.Detail = "it has no Pod"
		}
		return nil
	}
	// There is one: nothing is run twice.
	pod := pods.Items[0]
	started, detail := podDetail(pod)
	if r.Outcome != ProbeSucceeded {
		r.Detail = detail
	}
	name, err := pod.StringAt("/metadata/name")
	if err != nil || !started {
		return nil //nolint:nilerr // A Pod without a name has no log.
	}
	r.Log, r.LogErr = client.Logs(ctx, name, k8s.LogOptions{Tail: probeTail, Limit: probeLogLimit})
	return nil
}

// podDetail tells whether a Pod's only container was ever started, and what became of it.
func podDetail(pod k8s.Value) (started bool, detail string) {
	const state = "/status/containerStatuses/0/state"
	if code, err := pod.IntAt(state + "/terminated/exitCode"); err == nil {
		return true, fmt.Sprintf("exit code %d%s", code, reasonAt(pod, state+"/terminated/reason", " (%s)"))
	}
	if pod.Has(state + "/running") {
		return true, "the container is still running"
	}
	if waits := reasonAt(pod, state+"/waiting/reason", "the container waits: %s"); waits != "" {
		return false, waits
	}
	if scheduled, err := pod.ListAt("/status/conditions"); err == nil {
		for _, condition := range scheduled {
			if is(condition, "/type", "PodScheduled") && is(condition, "/status", "False") {
				return false, "the Pod is not scheduled" + reasonAt(condition, "/reason", ": %s")
			}
		}
	}
	return false, "the Pod is in phase " + reasonAt(pod, "/status/phase", "%s")
}

// word is what reasons and phases look like; whatever else is there is not passed on.
var word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,63}$`)

func reasonAt(v k8s.Value, pointer, format string) string {
	text, err := v.StringAt(pointer)
	if err != nil || !word.MatchString(text) {
		return ""
	}
	return fmt.Sprintf(format, text)
}
