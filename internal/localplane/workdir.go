// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package localplane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	workDirPrefix = "ccluster-plane-"
	lockFile      = "lock"
)

// workDir is a folder only its owner can enter. Its lock file is locked for as
// long as the process lives, however it ends.
type workDir struct {
	path string
	lock *os.File
}

func newWorkDir(parent, name string) (_ *workDir, err error) {
	path, err := os.MkdirTemp(parent, workDirPrefix+name+"-")
	if err != nil {
		return nil, fmt.Errorf("make work folder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}()
	// Locked under another name first: a sweep never sees a new folder unlocked.
	fresh := filepath.Join(path, lockFile+".new")
	lock, err := os.OpenFile(fresh, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // our own folder
	if err != nil {
		return nil, fmt.Errorf("make lock of work folder: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock work folder: %w", err), lock.Close())
	}
	if err := os.Rename(fresh, filepath.Join(path, lockFile)); err != nil {
		return nil, errors.Join(fmt.Errorf("lock work folder: %w", err), lock.Close())
	}
	return &workDir{path: path, lock: lock}, nil
}

func (w *workDir) write(name string, data []byte) error {
	if err := os.WriteFile(filepath.Join(w.path, name), data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// remove deletes the folder with everything in it.
func (w *workDir) remove() error {
	err := os.RemoveAll(w.path)
	if err != nil {
		err = fmt.Errorf("remove work folder: %w", err)
	}
	return errors.Join(err, w.lock.Close())
}

// sweep removes the work folders of processes that were killed. Such a folder
// holds an administrator's keys and more than 100 MB; nothing else removes it.
func sweep(parent string) error {
	paths, err := filepath.Glob(filepath.Join(parent, workDirPrefix+"*"))
	if err != nil {
		return fmt.Errorf("find old work folders: %w", err)
	}
	var errs []error
	for _, path := range paths {
		if !ownFolder(path) {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR, 0) //nolint:gosec // a folder of our own, as checked
		if err != nil {
			continue // not one of ours, or being made or removed right now
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			if err := os.RemoveAll(path); err != nil {
				errs = append(errs, fmt.Errorf("remove old work folder: %w", err))
			}
		}
		errs = append(errs, lock.Close())
	}
	return errors.Join(errs...)
}

// ownFolder keeps what other users put into a shared folder out of a sweep.
func ownFolder(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
