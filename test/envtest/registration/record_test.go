// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// callLog is a list of calls, each in a few words.
type callLog struct {
	mu    sync.Mutex
	calls []string
}

func (l *callLog) add(call string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, call)
}

// take returns the calls so far and forgets them.
func (l *callLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.calls
	l.calls = nil
	return taken
}

// peek returns the calls so far.
func (l *callLog) peek() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// writesOf are those calls to a plane that have changed something: of two words, since a
// refusal is a third.
func writesOf(calls []string) []string {
	return slices.DeleteFunc(slices.Clone(calls), func(c string) bool {
		return strings.HasPrefix(c, "get ") || strings.HasPrefix(c, "list ") || strings.HasSuffix(c, "reviews") ||
			len(strings.Fields(c)) > 2
	})
}

// recordingClient notes the writes that go through it.
type recordingClient struct {
	client.Client

	log *callLog
}

func (c recordingClient) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	c.log.add("apply " + appliedName(obj))
	return c.Client.Apply(ctx, obj, opts...)
}

func (c recordingClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	c.log.add("delete " + obj.GetName())
	return c.Client.Delete(ctx, obj, opts...)
}

func (c recordingClient) SubResource(name string) client.SubResourceClient {
	return recordingSubResource{SubResourceClient: c.Client.SubResource(name), name: name, log: c.log}
}

type recordingSubResource struct {
	client.SubResourceClient

	name string
	log  *callLog
}

func (c recordingSubResource) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	c.log.add("apply " + appliedName(obj) + " " + c.name)
	return c.SubResourceClient.Apply(ctx, obj, opts...)
}

func appliedName(obj runtime.ApplyConfiguration) string {
	if o, ok := obj.(interface {
		GetKind() string
		GetName() string
	}); ok {
		return o.GetKind() + " " + o.GetName()
	}
	return "object"
}
