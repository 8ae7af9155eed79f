// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localargo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// charts is a repository of Helm charts on loopback.
type charts struct {
	url    string
	server *http.Server
	done   chan error
}

// serveCharts packs chart folders and serves them.
func serveCharts(ctx context.Context, helm, dir string, folders []string) (*charts, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make chart repository: %w", err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve chart repository: %w", err)
	}
	url := "http://" + listener.Addr().String()
	for _, folder := range folders {
		if err := run(ctx, helm, "package", folder, "--destination", dir); err != nil {
			return nil, errors.Join(err, listener.Close())
		}
	}
	if err := run(ctx, helm, "repo", "index", dir, "--url", url); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	c := &charts{
		url: url, done: make(chan error, 1),
		server: &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second},
	}
	go func() { c.done <- c.server.Serve(listener) }()
	return c, nil
}

func run(ctx context.Context, binary string, args ...string) error {
	out, err := exec.CommandContext(ctx, binary, args...).CombinedOutput() //nolint:gosec // the binary the caller named
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", binary, args[0], err, out)
	}
	return nil
}

func (c *charts) stop() error {
	if err := c.server.Close(); err != nil {
		return fmt.Errorf("stop chart repository: %w", err)
	}
	if err := <-c.done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve chart repository: %w", err)
	}
	return nil
}
