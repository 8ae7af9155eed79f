// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-logr/logr" //nolint:depguard // To keep client-go from logging.
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/klog/v2" //nolint:depguard // To keep client-go from logging.
)

// loop is one Watch.
type loop struct {
	client   *Client
	resource Resource
	api      dynamic.ResourceInterface
	path     string
	options  WatchOptions
	yield    func(Event) bool

	// position is the resourceVersion that was reached.
	position string
	// known are the objects that there are, by name, if they may have to be listed again.
	known map[string]Value
	// connected tells that the server has accepted a list or a watch.
	connected bool
}

// reach moves the position on.
func (l *loop) reach(resourceVersion string) {
	l.position = resourceVersion
	if l.options.LastResourceVersion != nil {
		*l.options.LastResourceVersion = resourceVersion
	}
}

// list tells what there is, and how that differs from what is known.
func (l *loop) list(ctx context.Context) error {
	listed, err := l.client.List(ctx, l.resource, l.options.Selector)
	if err != nil {
		return err
	}
	l.connected = true
	for _, event := range changes(l.known, listed.Items) {
		if !l.tell(event) {
			return errLeft
		}
	}
	l.reach(listed.ResourceVersion)
	return nil
}

// changes is what must have happened to the known objects if now only the listed ones are there.
func changes(known map[string]Value, listed []Value) []Event {
	var gone, come []Event
	there := make(map[string]Value, len(listed))
	for _, object := range listed {
		there[object.meta("name")] = object
		before, existed := known[object.meta("name")]
		switch {
		case !existed || before.meta("uid") != object.meta("uid"):
			come = append(come, Event{Type: Added, Object: object})
		case before.meta("resourceVersion") != object.meta("resourceVersion"):
			come = append(come, Event{Type: Modified, Object: object})
		}
	}
	for name, before := range known {
		if now, exists := there[name]; !exists || now.meta("uid") != before.meta("uid") {
			gone = append(gone, Event{Type: Deleted, Object: before})
		}
	}
	return append(gone, come...)
}

// meta returns a field of the metadata, which every object has.
func (v Value) meta(field string) string {
	text, err := v.StringAt("/metadata/" + field)
	if err != nil {
		return ""
	}
	return text
}

// tell hands an event to the caller.
func (l *loop) tell(event Event) bool {
	if l.options.Relist {
		if l.known == nil {
			l.known = map[string]Value{}
		}
		if name := event.Object.meta("name"); event.Type == Deleted {
			delete(l.known, name)
		} else {
			l.known[name] = event.Object
		}
	}
	return l.yield(event)
}

// follow tells the changes after the position, and returns why it ended. client-go's RetryWatcher
// takes a watch up again that has ended.
func (l *loop) follow(ctx context.Context) error {
	life, end := context.WithCancelCause(klog.NewContext(ctx, logr.Discard()))
	defer end(nil)
	source := &source{loop: l, fail: end}
	retrying, err := watchtools.NewRetryWatcherWithContext(life, l.position, source)
	if err != nil {
		return failure(http.MethodGet, l.path, err)
	}
	defer func() {
		end(nil)
		<-retrying.Done()
		source.running.Wait()
	}()
	for event := range retrying.ResultChan() {
		if event.Type == watch.Error {
			return failure(http.MethodGet, l.path, apierrors.FromObject(event.Object))
		}
		switch object := event.Object.(type) {
		case *bookmark:
			l.reach(object.GetResourceVersion())
		case *unstructured.Unstructured:
			if !l.tell(Event{Type: EventType(event.Type), Object: Value{data: object.Object}}) {
				return errLeft
			}
			l.reach(object.GetResourceVersion())
		default:
			return failure(http.MethodGet, l.path, fmt.Errorf("an event has a %T", object))
		}
	}
	return context.Cause(life)
}

// open starts one watch at the server.
func (l *loop) open(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.LabelSelector = l.options.Selector
	return l.api.Watch(ctx, options)
}
