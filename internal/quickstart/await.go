// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

const pollInterval = 50 * time.Millisecond

// await shows each condition as it turns, until every registration is Ready.
func (s *scene) await(ctx context.Context) error {
	began := s.printer.now()
	s.printer.line("Waiting for the registrations")
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("the registrations are not Ready after %s", readyTimeout))
	defer cancel()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	seen := progress{}
	for {
		var list v1alpha1.ClusterRegistrationList
		if err := s.kube.List(ctx, &list, client.InNamespace(namespace)); err != nil && ctx.Err() == nil {
			return fmt.Errorf("read registrations: %w", err)
		}
		for _, t := range seen.update(list.Items) {
			s.printer.turned(t, s.printer.took(began))
		}
		if allReady(list.Items) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.managerDone:
			return s.managerEnded()
		case <-poll.C:
		}
	}
}

// turn is a condition that has another status or reason than before.
type turn struct {
	registration string
	metav1.Condition
}

// progress is what was shown last, by registration and condition.
type progress map[[2]string]metav1.Condition

// update returns what has turned, in the order of the conditions.
func (p progress) update(registrations []v1alpha1.ClusterRegistration) []turn {
	var turns []turn
	for i := range registrations {
		reg := &registrations[i]
		for _, c := range reg.Status.Conditions {
			key := [2]string{reg.Name, c.Type}
			// Where everything begins is no progress.
			before, known := p[key]
			if !known && c.Reason == v1alpha1.ReasonPending {
				continue
			}
			if before.Status == c.Status && before.Reason == c.Reason {
				continue
			}
			p[key] = c
			turns = append(turns, turn{reg.Name, c})
		}
	}
	return turns
}

func allReady(registrations []v1alpha1.ClusterRegistration) bool {
	return len(registrations) > 0 && !slices.ContainsFunc(registrations, func(reg v1alpha1.ClusterRegistration) bool {
		return !slices.ContainsFunc(reg.Status.Conditions, func(c metav1.Condition) bool {
			return c.Type == v1alpha1.ConditionReady && c.Status == metav1.ConditionTrue
		})
	})
}
