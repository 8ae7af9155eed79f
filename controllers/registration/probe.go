// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// A failed probe is run again after the first wait, and then after twice as long each time.
const firstProbeWait, longestProbeWait = time.Minute, time.Hour

// probe reports on the probe that the spec asks for, and starts it when it is due. The Job runs
// beside the passes, which do not wait for it: its end brings the next one.
func (r *Reconciler) probe(ctx context.Context, s *scope) {
	asked, plane := s.reg.Spec.Probe, s.record.proven
	switch {
	case asked == nil:
		r.probes.cancel(s.key)
		s.report.probe, s.record.probeAt, s.record.probeFailures = v1alpha1.ProbeStatus{}, time.Time{}, 0
		s.yes(v1alpha1.ConditionProbed, v1alpha1.ReasonNotRequested, "")
		return
	case plane == nil || plane.BearerToken == "" || s.record.generation != s.reg.Generation:
		return
	}
	inputs, now := probeInputs(asked, plane.Server), r.clock.Now()
	if ended := r.probes.collect(s.key, inputs); ended != nil {
		s.judge(ended)
		s.report.probe = v1alpha1.ProbeStatus{Inputs: inputs, CompletedAt: metav1.NewTime(now.UTC().Truncate(time.Second))}
	}
	due, needed := s.probeDue(inputs)
	s.record.probeAt = time.Time{}
	switch {
	case !needed || r.probes.running(s.key, inputs):
		return
	case now.Before(due):
		s.record.probeAt = due
		return
	}
	run, err := r.probeRun(s, asked, plane)
	if err != nil {
		s.not(v1alpha1.ConditionProbed, onPlane(err))
		return
	}
	if s.report.probe.Inputs != inputs {
		// What an earlier one has shown was of something else.
		s.conds.Set(v1alpha1.ConditionProbed, metav1.ConditionUnknown, v1alpha1.ReasonProbeRunning, "The probe's Job has not ended yet")
	}
	r.probes.start(ctx, s.key, inputs, run)
}

// probeDue tells whether a probe of the inputs is still to run, and from when on.
func (s *scope) probeDue(inputs string) (time.Time, bool) {
	last := s.report.probe
	switch {
	case last.Inputs != inputs:
		return time.Time{}, true
	case s.conds.Get(v1alpha1.ConditionProbed).Status == metav1.ConditionTrue:
		return time.Time{}, false
	}
	wait := firstProbeWait << min(max(s.record.probeFailures-1, 0), 10)
	return last.CompletedAt.Add(min(wait, longestProbeWait)), true
}

// probeInputs tell one probe from another.
func probeInputs(asked *v1alpha1.Probe, server string) string {
	text, err := json.Marshal([]any{asked, server})
	if err != nil {
		// Plain data always encodes.
		return server
	}
	return digest(string(text))
}

// probeRun is what a probe does, with a connection of its own: the registration's may be replaced
// meanwhile.
func (r *Reconciler) probeRun(s *scope, asked *v1alpha1.Probe, plane *ccluster.InfraPlane) (probeRun, error) {
	conn, err := r.pool.Fresh(s.key, kubeconfig.Endpoint{
		Server: plane.Server, CAData: plane.CACert, TLSServerName: plane.TLSServerName,
		ProxyURL: plane.ProxyURL, Insecure: plane.Insecure,
	}, kubeconfig.Credential{BearerToken: plane.BearerToken})
	if err != nil {
		return nil, err
	}
	options, namespace := r.probeOptions(s.wanted.Marker.Hash(), asked), asked.Namespace
	return func(ctx context.Context) (ccluster.ProbeResult, error) {
		defer conn.Close()
		settings, sender := conn.REST()
		client, err := k8s.NewClient(k8s.Config{REST: settings, HTTP: sender, Namespace: namespace})
		if err != nil {
			return ccluster.ProbeResult{}, err
		}
		result, err := ccluster.Probe(ctx, client, options)
		// Whoever answers for the plane knows the token that it was asked with.
		result.Log = strings.ReplaceAll(result.Log, plane.BearerToken, "(redacted)")
		return result, err
	}, nil
}

func (r *Reconciler) probeOptions(id string, asked *v1alpha1.Probe) ccluster.ProbeOptions {
	options := ccluster.ProbeOptions{
		ID: id, Image: asked.Image, Command: asked.Command,
		PullSecret: asked.ImagePullSecretRef.Name, Timeout: time.Duration(asked.TimeoutSeconds) * time.Second,
	}
	if options.Image == "" {
		options.Image = r.options.ProbeImage
		if len(options.Command) == 0 {
			options.Command = ccluster.DefaultProbeCommand()
		}
	}
	return options
}
