// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// DefaultProbeImage is what a probe runs if it names no image.
const DefaultProbeImage = "busybox:1.37"

// DefaultProbeCommand is what a probe runs in DefaultProbeImage: it prints a line.
func DefaultProbeCommand() []string { return []string{"echo", "The probe has run."} }

// ProbeLabel is on the Job of a probe and on its Pod; its value is ProbeOptions.ID.
const ProbeLabel = "ccluster.nvidia.com/probe"

const (
	defaultProbeTimeout = 2 * time.Minute
	// probeCleanup bounds the removal of the Job, which no end of the context prevents.
	probeCleanup = 10 * time.Second
	// probeTail and probeLogLimit bound what is read of the log, in lines and bytes.
	probeTail, probeLogLimit = 20, 8 << 10
)

// ProbeOptions are what Probe can be told. The zero value runs DefaultProbeImage.
type ProbeOptions struct {
	// ID tells this probe's Jobs from those of others in the namespace; it is a label's value.
	// A probe ends an earlier one that has it.
	// Default: probe.
	ID string
	// Image of the container, and Command with its arguments. Default: DefaultProbeImage with a
	// command that prints a line; of another image its own command.
	Image   string
	Command []string
	// PullSecret names a Secret of the namespace that the image is pulled with.
	PullSecret string
	// Timeout bounds the run. Default: two minutes.
	Timeout time.Duration
}

// ProbeOutcome is how a probe has ended.
type ProbeOutcome string

// Values of ProbeOutcome.
const (
	// ProbeSucceeded: the command has exited with 0.
	ProbeSucceeded ProbeOutcome = "Succeeded"
	// ProbeFailed: the command has exited otherwise, or its Pod was ended.
	ProbeFailed ProbeOutcome = "Failed"
	// ProbeTimedOut: the Job did not end in time.
	ProbeTimedOut ProbeOutcome = "TimedOut"
)

// ProbeResult is what a probe has shown.
type ProbeResult struct {
	Outcome ProbeOutcome
	// Detail says why it did not succeed, as the cluster tells it: an exit code, or what the Pod
	// waits for. It is one line of printable characters.
	Detail string
	// Log is the end of the container's log, at most 20 lines and 8 KiB, as it was written.
	Log string
	// LogErr is why there is no Log, if it could not be read.
	LogErr error
}

// Probe runs a Job of one Pod in the client's namespace and tells how it ended. What earlier
// probes of that ID have left is removed first, and the Job always afterwards, also when ctx
// ends; if this process dies, the cluster removes it within ten minutes of its timeout.
//
// The Pod has no API token and meets the restricted Pod Security Standard. A Job that fails or
// does not end in time is a result; an error, an [*k8s.Error] mostly, is about the calls.
func Probe(ctx context.Context, client *k8s.Client, options ProbeOptions) (result ProbeResult, err error) {
	options, err = options.withDefaults()
	if err != nil {
		return ProbeResult{}, err
	}
	selector := ProbeLabel + "=" + options.ID
	if _, err := client.DeleteAll(ctx, k8s.Jobs, selector); err != nil {
		return ProbeResult{}, fmt.Errorf("remove earlier probes: %w", err)
	}
	manifest, err := options.manifest()
	if err != nil {
		return ProbeResult{}, err
	}
	var name string
	defer func() { err = errors.Join(err, remove(ctx, client, name, selector)) }()
	job, err := client.Create(ctx, k8s.Jobs, manifest)
	if err != nil {
		return ProbeResult{}, fmt.Errorf("create the probe: %w", err)
	}
	if name, err = job.StringAt("/metadata/name"); err != nil {
		return ProbeResult{}, fmt.Errorf("create the probe: %w", err)
	}
	result.Outcome, err = await(ctx, client, selector, name, options.Timeout)
	if err != nil {
		return ProbeResult{}, fmt.Errorf("watch the probe: %w", err)
	}
	return result, result.examine(ctx, client, selector)
}

// remove deletes the Job of that name. Without one the answer to its creation may have been lost,
// so it is looked for.
func remove(ctx context.Context, client *k8s.Client, name, selector string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeCleanup)
	defer cancel()
	var err error
	if name == "" {
		_, err = client.DeleteAll(ctx, k8s.Jobs, selector)
	} else {
		_, err = client.Delete(ctx, k8s.Jobs, name, k8s.DeleteOptions{})
	}
	if err != nil {
		return fmt.Errorf("remove the probe: %w", err)
	}
	return nil
}

func (o ProbeOptions) withDefaults() (ProbeOptions, error) {
	if o.ID == "" {
		o.ID = "probe"
	}
	if problems := validation.IsValidLabelValue(o.ID); len(problems) > 0 {
		return o, fmt.Errorf("ProbeOptions.ID %q: %s", o.ID, strings.Join(problems, ", "))
	}
	if o.Image == "" {
		o.Image = DefaultProbeImage
		if len(o.Command) == 0 {
			o.Command = DefaultProbeCommand()
		}
	}
	if o.Timeout < 0 {
		return o, errors.New("ProbeOptions.Timeout must not be negative")
	}
	if o.Timeout == 0 {
		o.Timeout = defaultProbeTimeout
	}
	return o, nil
}

// await watches until the Job has ended.
func await(ctx context.Context, client *k8s.Client, selector, name string, timeout time.Duration) (ProbeOutcome, error) {
	for event, err := range client.Watch(ctx, k8s.Jobs, k8s.WatchOptions{Selector: selector, Timeout: timeout, Relist: true}) {
		if err != nil {
			return "", err
		}
		if called, err := event.Object.StringAt("/metadata/name"); err != nil || called != name {
			continue
		}
		if event.Type == k8s.Deleted {
			return ProbeFailed, nil
		}
		conditions, err := event.Object.ListAt("/status/conditions")
		if err != nil {
			continue // It has none yet.
		}
		for _, condition := range conditions {
			if is(condition, "/status", "True") && is(condition, "/type", "Complete") {
				return ProbeSucceeded, nil
			}
			if is(condition, "/status", "True") && is(condition, "/type", "Failed") {
				return ProbeFailed, nil
			}
		}
	}
	return ProbeTimedOut, nil
}

func is(v k8s.Value, pointer, text string) bool {
	found, err := v.StringAt(pointer)
	return err == nil && found == text
}
