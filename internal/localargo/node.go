// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localargo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// NodeName is what a simulated node is called.
const NodeName = "simulated"

// node keeps kwok running for one plane: it dies now and then at its start.
type node struct {
	end  context.CancelFunc
	done chan struct{}

	mu  sync.Mutex
	err error
}

// AddNode gives a plane a simulated node, on which Pods that are bound to it get Ready. There is no
// scheduler: Pods have to name the node.
func (b *Bed) AddNode(ctx context.Context, plane *localplane.Plane) error {
	kube, err := client.New(plane.Config(), client.Options{})
	if err != nil {
		return fmt.Errorf("make client of plane %s: %w", plane.Name(), err)
	}
	if err := create(ctx, kube, nodeObject()); err != nil {
		return err
	}
	kubeconfig := b.path(plane.Name() + ".kubeconfig")
	if err := os.WriteFile(kubeconfig, plane.Kubeconfig(), 0o600); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	stages, err := filepath.Glob(filepath.Join(b.options.Assets, "stages", "*.yaml"))
	if err != nil || len(stages) == 0 {
		return errors.New("find kwok's stages: run \"make argocd-bin\"")
	}
	port, err := b.port()
	if err != nil {
		return err
	}
	program := localplane.Program{
		Name: "kwok", Binary: filepath.Join(b.options.Assets, "kwok"), Dir: b.dir,
		LogFile: filepath.Join(b.logs, "kwok-"+plane.Name()+".log"),
		Args:    kwokFlags(kubeconfig, port, stages),
		// With several threads it sometimes writes a map from two at once.
		Env: []string{"GOMAXPROCS=1", "HOME=" + b.path("home"), "TMPDIR=" + b.dir},
	}
	first, err := localplane.StartProgram(program)
	if err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	n := &node{end: end, done: make(chan struct{})}
	go n.keep(life, program, first)
	b.nodes = append(b.nodes, n)
	return nil
}

func (n *node) keep(ctx context.Context, program localplane.Program, p *localplane.Process) {
	defer close(n.done)
	for {
		select {
		case <-ctx.Done():
			n.fail(p.Kill())
			return
		case <-p.Done():
		}
		next, err := localplane.StartProgram(program)
		if err != nil {
			n.fail(err)
			return
		}
		p = next
	}
}

func (n *node) fail(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = err
}

func (n *node) stop() error {
	n.end()
	<-n.done
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}

func kwokFlags(kubeconfig string, port int, stages []string) []string {
	flags := []string{
		"--kubeconfig", kubeconfig, "--manage-all-nodes", "--node-ip", "127.0.0.1", "--node-lease-duration-seconds", "40",
		"--server-address", loopback(port),
	}
	for _, file := range slices.Sorted(slices.Values(stages)) {
		flags = append(flags, "--config", file)
	}
	return flags
}

func nodeObject() *corev1.Node {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("32"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        NodeName,
			Labels:      map[string]string{"kubernetes.io/hostname": NodeName, "type": strings.ToLower(NodeName)},
			Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
		},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
}
