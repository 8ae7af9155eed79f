// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
)

// Event is a change of an object.
type Event struct {
	Type EventType
	// Object is as it is after the change; a deleted one as it was last.
	Object Value
}

// EventType is a kind of change.
type EventType string

// Values of EventType.
const (
	Added    EventType = EventType(watch.Added)
	Modified EventType = EventType(watch.Modified)
	Deleted  EventType = EventType(watch.Deleted)
)

// WatchOptions are what Watch can be told.
type WatchOptions struct {
	// Selector is a label selector; an empty one matches all objects.
	Selector string
	// ResourceVersion is where to start: that of a list, or one that LastResourceVersion told.
	// If it is empty, there is an Added event first for each object that exists.
	ResourceVersion string
	// Timeout ends the watch without an error. If it is 0, only the context ends it.
	Timeout time.Duration
	// Relist makes good for an expired resourceVersion: the objects are listed again, and what
	// has become of those that this watch has seen comes as events: one for all that happened to
	// an object meanwhile. For that, the objects are kept in memory.
	Relist bool
	// LastResourceVersion, if it is not nil, is kept up to date with what the loop has seen, by
	// events and by the server's bookmarks: a Watch from it goes on where this one ended. The event
	// at which the loop is left does not count as seen. It is empty until the last of the objects
	// that exist was seen. Read it in or after the loop.
	LastResourceVersion *string
}

// Watch returns the changes to objects, as they come:
//
//	for event, err := range client.Watch(ctx, k8s.Pods, k8s.WatchOptions{Selector: "app=x"}) {
//		if err != nil {
//			return err
//		}
//		…
//	}
//
// It goes on where it was when the server ends the watch or the connection is lost, and neither
// loses an event nor tells one twice. An error is the last thing in the loop: ErrExpired if the
// resourceVersion is too old, the context's error when that ends, an *Error if the server refuses
// or cannot be reached at first. When the loop is left, nothing keeps running.
func (c *Client) Watch(ctx context.Context, r Resource, options WatchOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		within, cancel := ctx, context.CancelFunc(func() {})
		if options.Timeout > 0 {
			within, cancel = context.WithTimeout(ctx, options.Timeout)
		}
		defer cancel()
		resource, at, err := c.of(r)
		if err == nil {
			l := &loop{
				client: c, resource: r, api: resource, path: path(at, c.namespace, ""), options: options,
				yield: func(e Event) bool { return yield(e, nil) },
			}
			err = l.run(within)
		}
		switch {
		case errors.Is(err, errLeft):
			return
		case ctx.Err() != nil:
			err = ctx.Err()
			if cause := context.Cause(ctx); !errors.Is(cause, err) {
				err = fmt.Errorf("%w: %w", err, cause)
			}
		case within.Err() != nil:
			return // The Timeout.
		}
		if err != nil {
			yield(Event{}, err)
		}
	}
}

// errLeft: the caller has left the loop.
var errLeft = errors.New("left")

// relistInterval is between attempts to list again.
const relistInterval = time.Second

// run returns why it ended, never nil.
func (l *loop) run(ctx context.Context) error {
	if from := l.options.ResourceVersion; from != "" && from != "0" {
		l.reach(from)
	} else {
		l.reach("")
		if err := l.list(ctx); err != nil {
			return err
		}
	}
	for {
		err := l.follow(ctx)
		if !errors.Is(err, ErrExpired) || !l.options.Relist {
			return err
		}
		if err := l.relist(ctx); err != nil {
			return err
		}
	}
}

// relist lists again as soon as the server answers.
func (l *loop) relist(ctx context.Context) error {
	return wait.PollUntilContextCancel(ctx, relistInterval, true, func(ctx context.Context) (bool, error) {
		err := l.list(ctx)
		if e, ok := errors.AsType[*Error](err); ok && e.Method == http.MethodGet && !lasting(e) {
			return false, nil
		}
		return err == nil, err
	})
}
