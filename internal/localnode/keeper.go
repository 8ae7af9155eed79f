// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"sync"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// keeper keeps a program running: kwok dies now and then at its start.
type keeper struct {
	end  context.CancelFunc
	done chan struct{}

	mu  sync.Mutex
	err error
}

// keep starts a program that outlives ctx.
func keep(ctx context.Context, program localplane.Program) (*keeper, error) {
	first, err := localplane.StartProgram(program)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	k := &keeper{end: end, done: make(chan struct{})}
	go k.watch(life, program, first)
	return k, nil
}

func (k *keeper) watch(ctx context.Context, program localplane.Program, p *localplane.Process) {
	defer close(k.done)
	for {
		select {
		case <-ctx.Done():
			k.fail(p.Kill())
			return
		case <-p.Done():
		}
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

func (k *keeper) stop() error {
	k.end()
	<-k.done
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}
