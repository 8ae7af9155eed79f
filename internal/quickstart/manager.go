// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ccluster-go/ccluster-go/internal/manager"
)

// managerOptions differ from the defaults in what a single machine needs.
func (s *scene) managerOptions() manager.Options {
	o := manager.DefaultOptions()
	o.HealthProbeAddress, o.MetricsAddress = "0", "0"
	o.LeaderElect = false
	// Both planes are on loopback, which no manager dials unless it is told to.
	o.AllowCIDRs = []string{"127.0.0.0/8"}
	o.AllowInCluster = true
	// Who plays with it wants to see repairs.
	o.CheckPeriod = 3 * time.Second
	if s.bed != nil {
		o.CatalogRepo = s.bed.RepoURL()
	}
	return o
}

// managerFlags are the same as a command line.
func (s *scene) managerFlags() string {
	flags := "--allow-cidr=127.0.0.0/8 --allow-in-cluster --check-period=3s --leader-elect=false"
	if s.bed != nil {
		flags += " --catalog-repo=" + s.bed.RepoURL()
	}
	return flags
}

// startManager runs the manager in this process, with its log in a file.
func (s *scene) startManager(ctx context.Context) error {
	log, err := os.OpenFile(s.work.path(managerLog), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the manager's log: %w", err)
	}
	o := s.managerOptions()
	if err := manager.UseLogger(manager.NewLogger(log, &o), &o); err != nil {
		return errors.Join(err, log.Close())
	}
	s.printer.line("Running the manager with %s", s.managerFlags())
	// It stops when it is told to, before the planes do.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancelManager, s.managerDone = cancel, make(chan struct{})
	go func() {
		defer close(s.managerDone)
		s.managerErr = manager.Run(running, s.control.Config(), o)
	}()
	return nil
}

func (s *scene) stopManager() error {
	s.cancelManager()
	<-s.managerDone
	return s.managerErr
}

// managerEnded is the error for a manager that ended by itself.
func (s *scene) managerEnded() error {
	if s.managerErr == nil {
		return errors.New("the manager has ended")
	}
	return fmt.Errorf("the manager has ended: %w", s.managerErr)
}

const logTail = 15

// explain stops the manager and shows the end of its log, unless it was the user who ended it all.
func (s *scene) explain(ctx context.Context, cause error) error {
	if err := s.stopManager(); !errors.Is(cause, err) {
		cause = errors.Join(cause, err)
	}
	if ctx.Err() != nil {
		return cause
	}
	content, err := os.ReadFile(s.work.path(managerLog))
	if err != nil {
		return errors.Join(cause, fmt.Errorf("read the manager's log: %w", err))
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	s.printer.heading("The end of the manager's log")
	for _, line := range lines[max(0, len(lines)-logTail):] {
		s.printer.line("%s", line)
	}
	return cause
}
