// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// bringUp starts every process in order and waits for what they promise.
func (p *Plane) bringUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.opts.StartTimeout)
	defer cancel()
	// The API server waits for etcd by itself.
	if err := p.launch(etcdBinary, etcdFlags()); err != nil {
		return err
	}
	if err := p.launch(apiServerBinary, apiServerFlags(p.dir.path, p.port.number, p.opts)); err != nil {
		return err
	}
	if err := p.awaitAPIServer(ctx); err != nil {
		return err
	}
	if err := p.installCRDs(); err != nil {
		return err
	}
	if p.opts.WithoutControllerManager {
		return nil
	}
	if err := p.launch(controllerManagerBinary, controllerManagerFlags(p.dir.path, p.opts)); err != nil {
		return err
	}
	return p.awaitControllerManager(ctx)
}

// StopAPIServer kills the API server, so that open connections are cut and its
// address refuses new ones until StartAPIServer. It may be called twice.
func (p *Plane) StopAPIServer() error { return p.halt(apiServerBinary) }

// StartAPIServer starts the API server again, on the same port with the same
// data, and returns when it is ready.
func (p *Plane) StartAPIServer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.opts.StartTimeout)
	defer cancel()
	if err := p.launch(apiServerBinary, apiServerFlags(p.dir.path, p.port.number, p.opts)); err != nil {
		return err
	}
	return p.awaitAPIServer(ctx)
}

// StopControllerManager kills the controller manager. It may be called twice.
func (p *Plane) StopControllerManager() error { return p.halt(controllerManagerBinary) }

// StartControllerManager starts the controller manager again and returns when
// it works. The plane must have been started with one.
func (p *Plane) StartControllerManager(ctx context.Context) error {
	if p.opts.WithoutControllerManager {
		return fmt.Errorf("start controller manager: plane %s has none", p.opts.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, p.opts.StartTimeout)
	defer cancel()
	if err := p.launch(controllerManagerBinary, controllerManagerFlags(p.dir.path, p.opts)); err != nil {
		return err
	}
	return p.awaitControllerManager(ctx)
}

// Rebuild replaces the cluster by a new one at the same address with the same
// keys: everything stored is lost and kube-system has another UID, as after a
// disaster. It returns when Start would.
func (p *Plane) Rebuild(ctx context.Context) error {
	err := errors.Join(
		p.halt(controllerManagerBinary),
		p.halt(apiServerBinary),
		p.halt(etcdBinary),
	)
	if err == nil {
		err = os.RemoveAll(filepath.Join(p.dir.path, etcdDataDir))
	}
	if err == nil {
		err = p.bringUp(ctx)
	}
	if err != nil {
		return fmt.Errorf("rebuild plane %s: %w", p.opts.Name, err)
	}
	return nil
}

// InstallCRDs installs the definitions in files and folders and returns when
// they are served.
func (p *Plane) InstallCRDs(paths ...string) error {
	_, err := envtest.InstallCRDs(p.Config(), envtest.CRDInstallOptions{Paths: paths, ErrorIfPathMissing: true})
	if err != nil {
		return fmt.Errorf("install CRDs on plane %s: %w", p.opts.Name, err)
	}
	return nil
}

func (p *Plane) installCRDs() error {
	if len(p.opts.CRDs) == 0 {
		return nil
	}
	return p.InstallCRDs(p.opts.CRDs...)
}

// launch starts a process unless it is running.
func (p *Plane) launch(name string, f flags) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return ErrStopped
	}
	if c := p.children[name]; c != nil && c.exited() == nil {
		if c.halted {
			return fmt.Errorf("start %s: the last one is not gone yet", name)
		}
		return nil
	}
	spec := childSpec{
		name:    name,
		binary:  p.binaries[name],
		args:    f.args(),
		dir:     p.dir.path,
		logFile: p.logFile(name),
	}
	if p.log != nil {
		spec.log = p.log.prefixed(p.opts.Name + " " + name + ": ")
	}
	c, err := startChild(spec)
	if err != nil {
		return err
	}
	p.children[name] = c
	return nil
}

// halt kills a process, if it runs. It stays known until it is gone, so that
// Stop waits for it even then.
func (p *Plane) halt(name string) error {
	p.mu.Lock()
	c := p.children[name]
	if c != nil {
		c.halted = true
	}
	p.mu.Unlock()
	return c.kill()
}
