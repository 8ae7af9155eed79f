// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package localplane

import "syscall"

// dieWithParent changes nothing: only Linux ties a child's life to its parent.
func dieWithParent(attr *syscall.SysProcAttr) *syscall.SysProcAttr { return attr }
