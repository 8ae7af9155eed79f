// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// restartPause keeps a program that always dies from taking the machine.
const restartPause = 200 * time.Millisecond

// keeper keeps a program running: kwok dies now and then at its start.
type keeper struct {
	end  context.CancelFunc
	done chan struct{}

	mu   sync.Mutex
	err  error
	last error
}

// keep starts a program that outlives ctx. It calls prepare before each later start.
func keep(ctx context.Context, program localplane.Program, prepare func(context.Context)) (*keeper, error) {
	first, err := localplane.StartProgram(program)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	k := &keeper{end: end, done: make(chan struct{})}
	go k.watch(life, program, prepare, first)
	return k, nil
}

func (k *keeper) watch(ctx context.Context, program localplane.Program, prepare func(context.Context), p *localplane.Process) {
	defer close(k.done)
	for {
		select {
		case <-ctx.Done():
			k.fail(p.Kill())
			return
		case <-p.Done():
		}
		k.note(p.Exited())
		select {
		case <-ctx.Done():
			return
		case <-time.After(restartPause):
		}
		prepare(ctx)
		if ctx.Err() != nil {
			return
		}
		next, err := localplane.StartProgram(program)
		if err != nil {
			k.fail(err)
			return
		}
		p = next
	}
}

func (k *keeper) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err = errors.Join(k.err, err)
}

func (k *keeper) note(end error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = end
}

// ended tells how the program ended last, with the end of its output, if it did.
func (k *keeper) ended() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last
}

func (k *keeper) stop() error {
	k.end()
	<-k.done
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}
