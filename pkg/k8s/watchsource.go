// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"context"
	"net/http"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// source opens watches for a RetryWatcher, which would try for ever what the server refuses, and
// drop the bookmarks.
type source struct {
	loop    *loop
	fail    context.CancelCauseFunc
	running sync.WaitGroup
}

// WatchWithContext opens a watch.
func (s *source) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	incoming, err := s.loop.open(ctx, options)
	if err != nil {
		if !s.loop.connected || lasting(err) {
			s.fail(failure(http.MethodGet, s.loop.path, err))
		}
		return nil, err
	}
	s.loop.connected = true
	events := make(chan watch.Event)
	outgoing := watch.NewProxyWatcher(events)
	s.running.Go(func() {
		defer close(events)
		defer incoming.Stop()
		for {
			select {
			case event, open := <-incoming.ResultChan():
				if !open || !send(events, withBookmark(event), outgoing.StopChan()) {
					return
				}
			case <-outgoing.StopChan():
				return
			}
		}
	})
	return outgoing, nil
}

func send(to chan<- watch.Event, event watch.Event, stop <-chan struct{}) bool {
	select {
	case to <- event:
		return true
	case <-stop:
		return false
	}
}

// bookmark is an object that only tells a resourceVersion.
type bookmark struct{ *unstructured.Unstructured }

// withBookmark makes a bookmark look like a change, so that it takes its turn among the changes.
func withBookmark(event watch.Event) watch.Event {
	object, ok := event.Object.(*unstructured.Unstructured)
	if event.Type != watch.Bookmark || !ok {
		return event
	}
	return watch.Event{Type: watch.Modified, Object: &bookmark{object}}
}
