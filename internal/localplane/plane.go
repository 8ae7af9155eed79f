// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// ErrStopped is in errors of calls on a plane that was stopped.
var ErrStopped = errors.New("the plane is stopped")

// Plane is a running control plane. Its methods may be called concurrently;
// starts and stops of one process need an order that the caller gives them.
type Plane struct {
	opts       Options
	binaries   map[string]string // by name
	dir        *workDir
	port       *port
	ca         *authority
	admin      *rest.Config
	kubeconfig []byte
	client     kubernetes.Interface // the administrator, for readiness
	log        *sharedLog           // nil without Options.Log

	mu       sync.Mutex
	children map[string]*child // the processes, by binary
	fronts   map[*Front]struct{}
	stopped  bool
	unwatch  func() bool // releases the context given to Start

	gone    chan struct{} // closed when everything is stopped and removed
	stopErr error         // read after gone
}

// Start runs a plane and returns when its API server is ready, the CRDs are
// served and, with a controller manager, service accounts are made and token
// Secrets are filled. The plane lives until Stop or the end of ctx. After an
// error nothing is left running.
func Start(ctx context.Context, opts Options) (_ *Plane, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start plane: %w", err)
	}
	opts, err = opts.withDefaults()
	if err != nil {
		return nil, err
	}
	p, err := prepare(opts)
	if err != nil {
		return nil, fmt.Errorf("start plane %s: %w", opts.Name, err)
	}
	detached := context.WithoutCancel(ctx)
	unwatch := context.AfterFunc(ctx, func() {
		_ = p.Stop(detached) // a later Stop returns the error
	})
	p.mu.Lock()
	p.unwatch = unwatch
	p.mu.Unlock()

	if err := p.bringUp(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start plane %s: %w", opts.Name, err), p.Stop(detached))
	}
	return p, nil
}

// prepare makes everything a plane has before its processes run.
func prepare(opts Options) (_ *Plane, err error) {
	p := &Plane{
		opts:     opts,
		binaries: map[string]string{},
		children: map[string]*child{},
		fronts:   map[*Front]struct{}{},
		gone:     make(chan struct{}),
	}
	if opts.Log != nil {
		p.log = &sharedLog{to: opts.Log}
	}
	needed := []string{etcdBinary, apiServerBinary}
	if !opts.WithoutControllerManager {
		needed = append(needed, controllerManagerBinary)
	}
	for _, name := range needed {
		if p.binaries[name], err = binary(opts.Assets, name); err != nil {
			return nil, err
		}
	}

	_ = sweep(os.TempDir()) // housekeeping: it may wait for the next plane
	if p.dir, err = newWorkDir(os.TempDir(), opts.Name); err != nil {
		return nil, err
	}
	if p.port, err = reservePort(); err != nil {
		return nil, errors.Join(err, p.dir.remove())
	}
	if err := p.writeFiles(); err != nil {
		return nil, errors.Join(err, p.port.release(), p.dir.remove())
	}
	return p, nil
}

// writeFiles makes the keys, certificates and configuration files.
func (p *Plane) writeFiles() (err error) {
	if p.ca, err = newAuthority(clusterAuthority); err != nil {
		return err
	}
	dns, ips := splitNames(append([]string{
		loopback, "::1", "localhost", serviceAddress,
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}, p.opts.ServerNames...))
	serving, err := p.ca.serving(dns, ips)
	if err != nil {
		return err
	}
	signing, verifying, err := newSigningKey()
	if err != nil {
		return err
	}
	manager, err := p.AddUser(managerUser, superuserGroup)
	if err != nil {
		return err
	}
	managerConf, err := Kubeconfig(p.opts.Name, manager)
	if err != nil {
		return err
	}
	if err := p.makeAdmin(); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		caFile:          p.ca.cert,
		caKeyFile:       p.ca.key,
		servingCertFile: serving.cert,
		servingKeyFile:  serving.key,
		signingKeyFile:  signing,
		signingPubFile:  verifying,
		managerConfFile: managerConf,
		auditPolicyFile: []byte(auditPolicy),
	} {
		if err := p.dir.write(name, data); err != nil {
			return err
		}
	}
	if p.opts.LogDir != "" {
		if err := os.MkdirAll(p.opts.LogDir, 0o750); err != nil {
			return fmt.Errorf("make log folder: %w", err)
		}
	}
	return nil
}

func (p *Plane) makeAdmin() (err error) {
	if p.admin, err = p.AddUser(adminUser, superuserGroup); err != nil {
		return err
	}
	if p.kubeconfig, err = Kubeconfig(p.opts.Name, p.admin); err != nil {
		return err
	}
	own := p.Config()
	own.UserAgent = "localplane"
	if p.client, err = kubernetes.NewForConfig(own); err != nil {
		return fmt.Errorf("make client: %w", err)
	}
	return nil
}

// Name is the plane's name.
func (p *Plane) Name() string { return p.opts.Name }

// Dir is the work folder: keys, certificates, kubeconfigs, data and, unless
// Options.LogDir says otherwise, logs. Stop removes it.
func (p *Plane) Dir() string { return p.dir.path }

// Server is the API server's address, https://127.0.0.1:port. It stays the same
// over restarts.
func (p *Plane) Server() string {
	return "https://" + loopback + ":" + strconv.Itoa(p.port.number)
}

// CAData is the PEM certificate that verifies Server.
func (p *Plane) CAData() []byte { return p.ca.cert }

// Config connects as an administrator without a client-side rate limit. Each
// call returns a copy of its own.
func (p *Plane) Config() *rest.Config { return rest.CopyConfig(p.admin) }

// Kubeconfig is the administrator's kubeconfig with the CA and the client
// certificate embedded.
func (p *Plane) Kubeconfig() []byte { return append([]byte(nil), p.kubeconfig...) }

// AddUser makes a client certificate for a user. The user has the rights that
// RBAC gives to its name and groups, which is none at first.
func (p *Plane) AddUser(name string, groups ...string) (*rest.Config, error) {
	pair, err := p.ca.client(name, groups)
	if err != nil {
		return nil, fmt.Errorf("add user %q: %w", name, err)
	}
	return &rest.Config{
		Host: p.Server(),
		QPS:  -1, // no limit
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   p.CAData(),
			CertData: pair.cert,
			KeyData:  pair.key,
		},
	}, nil
}

// Check returns an error when a process that should be running has ended, with
// the end of its log, or when the plane is stopped.
func (p *Plane) Check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return fmt.Errorf("plane %s: %w", p.opts.Name, ErrStopped)
	}
	for _, name := range []string{etcdBinary, apiServerBinary, controllerManagerBinary} {
		if c := p.children[name]; c != nil && !c.halted {
			if err := c.exited(); err != nil {
				return fmt.Errorf("plane %s: %w", p.opts.Name, err)
			}
		}
	}
	return nil
}

// Stop kills the processes, closes the fronts and removes the work folder. It
// may be called several times; every call returns the same joined errors. The
// end of ctx ends the waiting, not the stopping, which takes about 0.1 seconds.
func (p *Plane) Stop(ctx context.Context) error {
	p.mu.Lock()
	first := !p.stopped
	p.stopped = true
	p.mu.Unlock()
	if first {
		go p.tearDown()
	}
	select {
	case <-p.gone:
		return p.stopErr
	case <-ctx.Done():
		return fmt.Errorf("stop plane %s: %w", p.opts.Name, context.Cause(ctx))
	}
}

// tearDown runs once, after stopped is set: no process and no front is added
// any more.
func (p *Plane) tearDown() {
	defer close(p.gone)
	p.mu.Lock()
	unwatch, children, fronts := p.unwatch, p.children, p.fronts
	p.children, p.fronts = nil, nil
	p.mu.Unlock()

	var errs []error
	for front := range fronts {
		errs = append(errs, front.Close())
	}
	for _, name := range []string{controllerManagerBinary, apiServerBinary, etcdBinary} {
		errs = append(errs, children[name].kill())
	}
	errs = append(errs, p.port.release(), p.dir.remove())
	if unwatch != nil {
		unwatch()
	}
	if err := errors.Join(errs...); err != nil {
		p.stopErr = fmt.Errorf("stop plane %s: %w", p.opts.Name, err)
	}
}

func (p *Plane) logFile(name string) string {
	dir := p.opts.LogDir
	if dir == "" {
		dir = p.dir.path
	}
	return filepath.Join(dir, p.opts.Name+"-"+name+".log")
}
