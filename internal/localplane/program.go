// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

// Program is something to run beside planes, such as what manages them.
type Program struct {
	// Name is for errors, Binary the file to run.
	Name, Binary string
	Args         []string
	// Env is all of its environment, as NAME=value.
	Env []string
	// Dir is the working folder, LogFile what its output is appended to.
	Dir, LogFile string
}

// Process is a running Program. It dies with this process.
type Process struct{ child *child }

// StartProgram starts a program in a process group of its own.
func StartProgram(p Program) (*Process, error) {
	c, err := startChild(childSpec{name: p.Name, binary: p.Binary, args: p.Args, env: p.Env, dir: p.Dir, logFile: p.LogFile})
	if err != nil {
		return nil, err
	}
	return &Process{c}, nil
}

// Exited is not nil when the process has ended. It carries the end of its output.
func (p *Process) Exited() error { return p.child.exited() }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.child.done }

// Kill ends the process and everything in its group, and returns when it is gone. Killing twice
// is fine.
func (p *Process) Kill() error { return p.child.kill() }

// FreePort is a TCP port of 127.0.0.1 that nobody else is given until it is released. A server
// that asks for this very port with SO_REUSEADDR, as most do, gets it meanwhile.
func FreePort() (number int, release func() error, err error) {
	p, err := reservePort()
	if err != nil {
		return 0, nil, err
	}
	return p.number, p.release, nil
}
