// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// Callers compare with the context's error, whatever cause was given to its end.
func TestAWatchEndsWithTheErrorOfItsContext(t *testing.T) {
	c := clientOf(t, &rest.Config{Host: "https://127.0.0.1:1"})
	caused, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the caller's own"))
	late, end := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer end()
	for _, ctx := range []context.Context{caused, late} {
		var seen []error
		for _, err := range c.Watch(ctx, k8s.Pods, k8s.WatchOptions{Timeout: time.Hour}) {
			seen = append(seen, err)
		}
		g := NewWithT(t)
		g.Expect(seen).To(HaveLen(1))
		g.Expect(seen[0]).To(MatchError(ctx.Err()))
	}
}
