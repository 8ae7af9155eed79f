// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localargo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/ccluster-go/ccluster-go/internal/localnode"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// Namespace is where Argo CD runs.
const Namespace = "argocd"

// Options say what to run.
type Options struct {
	// Control is the plane that Argo CD runs on.
	Control *localplane.Plane
	// Assets is the folder that make argocd-bin fills.
	Assets string
	// Charts are folders of Helm charts, to be served as a repository beside HelloChart.
	Charts []string
	// LogDir keeps the logs. Empty: they go with the rest.
	LogDir string
}

// Bed is a running Argo CD. Stop it.
type Bed struct {
	options Options
	dir     string
	logs    string
	redis   int
	repo    int
	charts  *charts

	mu        sync.Mutex
	processes map[string]*localplane.Process
	nodes     []*localnode.Node
	releases  []func() error
}

// Names of the processes, and of their binaries.
const (
	redisServer   = "redis-server"
	repoServer    = "argocd-repo-server"
	appController = "argocd-application-controller"
)

// Start installs Argo CD's kinds and settings on the control plane and starts everything. It does
// not wait until Argo CD works: what uses it has to wait anyway.
func Start(ctx context.Context, options Options) (_ *Bed, err error) {
	redis, err := exec.LookPath(redisServer)
	if err != nil {
		return nil, errors.New("find redis-server: install it, on Debian with apt-get install redis-server")
	}
	if options.Assets, err = filepath.Abs(options.Assets); err != nil {
		return nil, fmt.Errorf("find Argo CD: %w", err)
	}
	for _, binary := range []string{repoServer, appController, "helm", "kwok"} {
		if _, err := os.Stat(filepath.Join(options.Assets, binary)); err != nil {
			return nil, fmt.Errorf("find %s: run \"make argocd-bin\"", binary)
		}
	}
	dir, err := os.MkdirTemp("", "ccluster-argocd-")
	if err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	b := &Bed{options: options, dir: dir, logs: options.LogDir, processes: map[string]*localplane.Process{}}
	if b.logs == "" {
		b.logs = filepath.Join(dir, "logs")
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Stop())
		}
	}()
	for _, folder := range []string{b.logs, b.path("home"), b.path("redis"), b.path("tls"), b.path("ssh"), b.path("gpg")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("make work folder: %w", err)
		}
	}
	if err := os.WriteFile(b.path("kubeconfig"), options.Control.Kubeconfig(), 0o600); err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	if err := b.install(ctx); err != nil {
		return nil, err
	}
	if err := writeHello(b.path("hello")); err != nil {
		return nil, err
	}
	folders := append([]string{b.path("hello")}, options.Charts...)
	if b.charts, err = serveCharts(ctx, filepath.Join(options.Assets, "helm"), b.path("charts"), folders); err != nil {
		return nil, err
	}
	if b.redis, err = b.port(); err != nil {
		return nil, err
	}
	if b.repo, err = b.port(); err != nil {
		return nil, err
	}
	if err := b.launch(redisServer, redis, redisFlags(b.redis, b.path("redis")), nil); err != nil {
		return nil, err
	}
	if err := b.startRepoServer(); err != nil {
		return nil, err
	}
	return b, b.StartApplicationController()
}

func (b *Bed) path(name string) string { return filepath.Join(b.dir, name) }

// RepoURL is the address of the repository of charts.
func (b *Bed) RepoURL() string { return b.charts.url }

// port is one that stays this bed's.
func (b *Bed) port() (int, error) {
	number, release, err := localplane.FreePort()
	if err == nil {
		b.releases = append(b.releases, release)
	}
	return number, err
}

func (b *Bed) startRepoServer() error {
	metrics, err := b.port()
	if err != nil {
		return err
	}
	return b.launch(repoServer, filepath.Join(b.options.Assets, repoServer), repoServerFlags(b.repo, metrics, b.redis), b.env())
}

// StartApplicationController starts it, unless it runs.
func (b *Bed) StartApplicationController() error {
	metrics, err := b.port()
	if err != nil {
		return err
	}
	return b.launch(appController, filepath.Join(b.options.Assets, appController), controllerFlags(metrics, b.repo, b.redis), b.env())
}

// StopApplicationController kills it.
func (b *Bed) StopApplicationController() error {
	b.mu.Lock()
	p := b.processes[appController]
	delete(b.processes, appController)
	b.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.Kill()
}

func (b *Bed) launch(name, binary string, args, env []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.processes[name]; p != nil && p.Exited() == nil {
		return nil
	}
	p, err := localplane.StartProgram(localplane.Program{
		Name: name, Binary: binary, Args: args, Env: env, Dir: b.dir, LogFile: filepath.Join(b.logs, name+".log"),
	})
	if err != nil {
		return err
	}
	b.processes[name] = p
	return nil
}

// Check tells which process has ended though nobody wanted that, with the end of its output.
func (b *Bed) Check() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, p := range b.processes {
		errs = append(errs, p.Exited())
	}
	return errors.Join(errs...)
}

// Stop ends everything and removes what it has written, but for the logs that LogDir keeps.
func (b *Bed) Stop() error {
	var errs []error
	for _, n := range b.nodes {
		errs = append(errs, n.Stop())
	}
	b.mu.Lock()
	for _, p := range b.processes {
		errs = append(errs, p.Kill())
	}
	b.processes = map[string]*localplane.Process{}
	b.mu.Unlock()
	if b.charts != nil {
		errs = append(errs, b.charts.stop())
	}
	for _, release := range b.releases {
		errs = append(errs, release())
	}
	b.releases = nil
	return errors.Join(append(errs, os.RemoveAll(b.dir))...)
}

// env is all that Argo CD sees of this process's environment and machine.
func (b *Bed) env() []string {
	return []string{
		"PATH=" + b.options.Assets + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + b.path("home"), "TMPDIR=" + b.dir, "KUBECONFIG=" + b.path("kubeconfig"),
		"ARGOCD_FAKE_IN_CLUSTER=true", "ARGOCD_GPG_ENABLED=false",
		"ARGOCD_TLS_DATA_PATH=" + b.path("tls"), "ARGOCD_SSH_DATA_PATH=" + b.path("ssh"), "ARGOCD_GPG_DATA_PATH=" + b.path("gpg"),
	}
}

func redisFlags(port int, dir string) []string {
	return []string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", dir}
}

func loopback(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

func repoServerFlags(port, metrics, redis int) []string {
	flags := strings.Fields(fmt.Sprintf(
		"--address 127.0.0.1 --port %d --metrics-address 127.0.0.1 --metrics-port %d --redis %s --disable-tls --loglevel info",
		port, metrics, loopback(redis)))
	return append(flags, "--client-ca-path", "")
}

func controllerFlags(metrics, repo, redis int) []string {
	flags := strings.Fields(fmt.Sprintf(
		"--namespace %s --metrics-port %d --redis %s --repo-server %s --repo-server-plaintext --loglevel info --self-heal-timeout-seconds 1",
		Namespace, metrics, loopback(redis), loopback(repo)))
	return append(flags, "--application-namespaces", "*")
}
