// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"embed"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"k8s.io/client-go/util/cert"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

const loopback = "127.0.0.1"

// completion is kwok's own stage for Pods of Jobs, whose place ours take.
const completion = "pod-pod-complete.yaml"

//go:embed stages/*.yaml
var stages embed.FS

func (n *Node) kwok(options Options, kubeconfig string) (localplane.Program, error) {
	configs, err := n.configs(options.Assets)
	if err != nil {
		return localplane.Program{}, err
	}
	port, release, err := localplane.FreePort()
	if err != nil {
		return localplane.Program{}, fmt.Errorf("find a port for kwok: %w", err)
	}
	n.release = release
	certificate, key, err := cert.GenerateSelfSignedCertKey(Name, []net.IP{net.ParseIP(loopback)}, nil)
	if err != nil {
		return localplane.Program{}, fmt.Errorf("make a certificate: %w", err)
	}
	for name, content := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err := os.WriteFile(n.path(name), content, 0o600); err != nil {
			return localplane.Program{}, fmt.Errorf("write the certificate: %w", err)
		}
	}
	return localplane.Program{
		Name: "kwok", Binary: filepath.Join(options.Assets, "kwok"), Dir: n.dir, Args: n.flags(kubeconfig, port, configs),
		// With several threads it sometimes writes a map from two at once.
		Env: []string{"GOMAXPROCS=1", "HOME=" + n.dir, "TMPDIR=" + n.dir},
	}, nil
}

func (n *Node) flags(kubeconfig string, port int, configs []string) []string {
	address := net.JoinHostPort(loopback, strconv.Itoa(port))
	flags := []string{
		"--kubeconfig", kubeconfig, "--manage-all-nodes", "--node-lease-duration-seconds", "40",
		"--server-address", address, "--node-ip", loopback, "--node-port", strconv.Itoa(port),
		"--tls-cert-file", n.path("tls.crt"), "--tls-private-key-file", n.path("tls.key"),
	}
	for _, file := range configs {
		flags = append(flags, "--config", file)
	}
	return flags
}

// configs are the files that say what nodes and Pods do.
func (n *Node) configs(assets string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(assets, "stages", "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, errors.New("find kwok's stages: run \"make node-bin\"")
	}
	files = slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) == completion })
	slices.Sort(files)
	own, err := stages.ReadDir("stages")
	if err != nil {
		return nil, fmt.Errorf("read stages: %w", err)
	}
	for _, entry := range own {
		content, err := stages.ReadFile("stages/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read stages: %w", err)
		}
		if err := os.WriteFile(n.path(entry.Name()), content, 0o600); err != nil {
			return nil, fmt.Errorf("write stages: %w", err)
		}
		files = append(files, n.path(entry.Name()))
	}
	return append(files, n.logs.config()), nil
}
