// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package localplane

import (
	"errors"
	"os"
	"syscall"
)

// ownGroup keeps a terminal's interrupt away from the child: the parent decides
// when it ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills the group that pid leads.
func killGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
