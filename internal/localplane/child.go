// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// killWait limits the wait for a killed child, which has no say in it, and for
// its output.
const killWait = 10 * time.Second

// child is one running process.
type child struct {
	name    string
	cmd     *exec.Cmd
	logFile string
	done    chan struct{} // closed when the process is gone
	err     error         // how it ended; read after done
	halted  bool          // its end is wanted; guarded by the plane's mutex
}

// childSpec says what to run.
type childSpec struct {
	name    string
	binary  string
	args    []string
	env     []string // nil: this process's
	dir     string   // working folder
	logFile string   // output is appended here
	log     io.Writer
}

// startChild starts a process in a group of its own, which dies with this one.
func startChild(spec childSpec) (*child, error) {
	file, err := os.OpenFile(spec.logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of %s: %w", spec.name, err)
	}
	// The child's life is the plane's, not that of the call that started it.
	cmd := exec.Command(spec.binary, spec.args...) //nolint:gosec,noctx // the binaries the caller named
	cmd.Dir, cmd.Env = spec.dir, spec.env
	cmd.SysProcAttr = dieWithParent(ownGroup())
	cmd.WaitDelay = killWait
	cmd.Stdout, cmd.Stderr = file, file
	if spec.log != nil {
		both := io.MultiWriter(file, spec.log)
		cmd.Stdout, cmd.Stderr = both, both
	}

	c := &child{name: spec.name, cmd: cmd, logFile: spec.logFile, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		defer file.Close() //nolint:errcheck // the log is complete or lost, nobody could act on it
		// The kernel's death signal follows the thread that made the child, so
		// that thread has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		c.err = cmd.Wait()
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.name, err)
	}
	return c, nil
}

// exited is non-nil when the process has ended by itself or was killed. It
// carries the end of the process's log.
func (c *child) exited() error {
	select {
	case <-c.done:
		return fmt.Errorf("%s ended: %w; last output:\n%s", filepath.Base(c.cmd.Path), c.end(), tail(c.logFile))
	default:
		return nil
	}
}

func (c *child) end() error {
	if c.err == nil {
		return errors.New("exit status 0")
	}
	return c.err
}

// kill ends the process and everything in its group, and returns when it is
// gone. Killing twice is fine, and so is a nil child.
//
// None of the processes is asked to end in good order: with watches open, and
// the controller manager has many, an API server takes longer over it than a
// test can wait, and nothing is lost. etcd has what was answered.
func (c *child) kill() error {
	if c == nil {
		return nil
	}
	select {
	case <-c.done:
		return nil // the number may belong to another process by now
	default:
	}
	if err := killGroup(c.cmd.Process.Pid); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", c.name, err)
	}
	timer := time.NewTimer(killWait)
	defer timer.Stop()
	select {
	case <-c.done:
		return nil
	case <-timer.C:
		return fmt.Errorf("kill %s: process %d is still there after %s", c.name, c.cmd.Process.Pid, killWait)
	}
}
