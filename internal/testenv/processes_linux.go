// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Processes are the running ones that work in a folder below dir, as the children of a plane or a
// node do: program name, of which the kernel keeps 15 characters, to process id.
func Processes(dir string) (map[string]int, error) {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil, err
	}
	found := map[string]int{}
	for _, link := range links {
		// An ended process that nobody has collected yet has no folder.
		if cwd, err := os.Readlink(link); err != nil || !strings.HasPrefix(cwd, dir+"/") {
			continue
		}
		process := filepath.Dir(link)
		name, err := os.ReadFile(filepath.Join(process, "comm")) //nolint:gosec // Below /proc, as the pattern says.
		if err != nil {
			continue // it ended in between
		}
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil {
			return nil, err
		}
		found[strings.TrimSpace(string(name))] = pid
	}
	return found, nil
}
