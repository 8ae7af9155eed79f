// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// Name is what the node is called.
const Name = "simulated"

// Options describe a node.
type Options struct {
	// Assets is the folder with kwok and its stages, which make node-bin fills.
	Assets string
	// Logs are the lines that the containers of a name have written, in every Pod. Other
	// containers have written nothing.
	Logs map[string][]string
	// Scheduler starts kube-scheduler, from ControlPlane or $KUBEBUILDER_ASSETS.
	Scheduler    bool
	ControlPlane string
	// LogDir receives a log file of each process. Default: the work folder, which Stop removes.
	LogDir string
}

// Node is a simulated node of one plane.
type Node struct {
	dir     string
	logs    logs
	release func() error
	kept    []*keeper
}

// Start adds the node to a plane. Pods can run when it returns.
func Start(ctx context.Context, plane *localplane.Plane, options Options) (_ *Node, err error) {
	// Its programs run in another folder.
	if options.Assets, err = filepath.Abs(options.Assets); err != nil {
		return nil, fmt.Errorf("find kwok: %w", err)
	}
	dir, err := os.MkdirTemp("", "localnode-")
	if err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	n := &Node{dir: dir, logs: logs{dir: filepath.Join(dir, "logs")}}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Stop())
		}
	}()
	if options.LogDir == "" {
		options.LogDir = dir
	}
	if err := n.logs.write(options.Logs); err != nil {
		return nil, err
	}
	kubeconfig := n.path("kubeconfig")
	if err := os.WriteFile(kubeconfig, plane.Kubeconfig(), 0o600); err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	kube, err := client.New(plane.Config(), client.Options{})
	if err != nil {
		return nil, fmt.Errorf("make client of plane %s: %w", plane.Name(), err)
	}
	if err := register(ctx, kube); err != nil {
		return nil, err
	}
	run := func(program localplane.Program, prepare func(context.Context)) error {
		program.LogFile = filepath.Join(options.LogDir, program.Name+"-"+plane.Name()+".log")
		k, err := keep(ctx, program, prepare)
		if err == nil {
			n.kept = append(n.kept, k)
		}
		return err
	}
	kwok, err := n.kwok(options, kubeconfig)
	if err != nil {
		return nil, err
	}
	if err := run(kwok, releaser(kube)); err != nil {
		return nil, err
	}
	if options.Scheduler {
		scheduler, err := n.scheduler(options, kubeconfig)
		if err != nil {
			return nil, err
		}
		if err := run(scheduler, func(context.Context) {}); err != nil {
			return nil, err
		}
	}
	if err := awaitReady(ctx, kube); err != nil {
		for _, k := range n.kept {
			err = errors.Join(err, k.ended())
		}
		return nil, err
	}
	return n, nil
}

// Log has every container of that name write one more line.
func (n *Node) Log(container, line string) error { return n.logs.add(container, line) }

// Stop ends the node's processes and removes what they have written. The Node object stays, until
// another node is started on the plane. Stopping twice is fine.
func (n *Node) Stop() error {
	var errs []error
	for _, k := range n.kept {
		errs = append(errs, k.stop())
	}
	n.kept = nil
	if n.release != nil {
		errs = append(errs, n.release())
		n.release = nil
	}
	return errors.Join(append(errs, os.RemoveAll(n.dir))...)
}

func (n *Node) path(name string) string { return filepath.Join(n.dir, name) }
