// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// watched is a watch that goes on beside a spec.
type watched struct {
	mu   sync.Mutex
	seen []string
	err  error
	last string
	done chan struct{}
}

// watch notes each event as TYPE NAME VALUE, and an error.
func watch(ctx context.Context, c *k8s.Client, options k8s.WatchOptions) *watched {
	w := &watched{done: make(chan struct{})}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(w.done)
		var last string
		options.LastResourceVersion = &last
		for event, err := range c.Watch(ctx, configMaps, options) {
			w.note(event, err, last)
		}
		w.note(k8s.Event{}, nil, last)
	}()
	DeferCleanup(func() {
		cancel()
		<-w.done
	})
	return w
}

func (w *watched) note(event k8s.Event, err error, last string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = last
	if err != nil {
		w.err = err
		w.seen = append(w.seen, "error: "+err.Error())
		return
	}
	if event.Type == "" {
		return
	}
	name, _ := event.Object.StringAt("/metadata/name")
	value, _ := event.Object.StringAt("/data/value")
	w.seen = append(w.seen, strings.TrimSpace(fmt.Sprintf("%s %s %s", event.Type, name, value)))
}

// events are those so far.
func (w *watched) events() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.seen...)
}

// end waits for the end of the watch, and returns its error and last resourceVersion.
func (w *watched) end() (string, error) {
	GinkgoHelper()
	Eventually(w.done).Should(BeClosed())
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, w.err
}

// put creates a ConfigMap, or changes its value.
func put(ctx context.Context, c *k8s.Client, name, value string) {
	GinkgoHelper()
	_, err := c.Create(ctx, configMaps, configMap(name, value))
	Expect(err).NotTo(HaveOccurred())
}

func remove(ctx context.Context, c *k8s.Client, name string) {
	GinkgoHelper()
	Expect(c.Delete(ctx, configMaps, name, k8s.DeleteOptions{})).To(BeTrue())
}

func position(ctx context.Context, c *k8s.Client) string {
	GinkgoHelper()
	listed, err := c.List(ctx, configMaps, "")
	Expect(err).NotTo(HaveOccurred())
	return listed.ResourceVersion
}

// beAfter compares resourceVersions.
func beAfter(earlier string) OmegaMatcher {
	return WithTransform(func(later string) (int, error) {
		return resourceversion.CompareResourceVersion(later, earlier)
	}, Equal(1))
}

// nothingRuns waits until no goroutine of a watch is left.
func nothingRuns() {
	GinkgoHelper()
	Eventually(func() (string, error) {
		var stacks bytes.Buffer
		err := pprof.Lookup("goroutine").WriteTo(&stacks, 2)
		for stack := range strings.SplitSeq(stacks.String(), "\n\n") {
			if strings.Contains(stack, "/pkg/k8s.") || strings.Contains(stack, "client-go/tools/watch") {
				return stack, err
			}
		}
		return "", err
	}).Should(BeEmpty())
}
