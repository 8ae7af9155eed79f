// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sigs.k8s.io/yaml"
)

// logs are the files that kwok serves as the logs of containers, one for each name.
type logs struct{ dir string }

// others is the file of containers that have none of their own.
const others = ""

func (l logs) file(container string) string {
	return filepath.Join(l.dir, "container-"+container+".log")
}

func (l logs) config() string { return filepath.Join(l.dir, "logs.yaml") }

// write makes the files, and tells kwok which container has which.
func (l logs) write(lines map[string][]string) error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return fmt.Errorf("make folder of logs: %w", err)
	}
	names := append([]string{others}, slices.Sorted(maps.Keys(lines))...)
	entries := make([]map[string]any, 0, len(names))
	for _, name := range names {
		if err := os.WriteFile(l.file(name), nil, 0o600); err != nil {
			return fmt.Errorf("write log: %w", err)
		}
		for _, line := range lines[name] {
			if err := l.add(name, line); err != nil {
				return err
			}
		}
		entry := map[string]any{"logsFile": l.file(name)}
		if name != others {
			entry["containers"] = []string{name}
		}
		entries = append(entries, entry)
	}
	content, err := yaml.Marshal(map[string]any{
		"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterLogs",
		"metadata": map[string]any{"name": "logs"}, "spec": map[string]any{"logs": entries},
	})
	if err != nil {
		return fmt.Errorf("encode logs: %w", err)
	}
	if err := os.WriteFile(l.config(), content, 0o600); err != nil {
		return fmt.Errorf("write logs: %w", err)
	}
	return nil
}

// add appends a line as container runtimes write it.
func (l logs) add(container, line string) (err error) {
	f, err := os.OpenFile(l.file(container), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := fmt.Fprintf(f, "%s stdout F %s\n", time.Now().UTC().Format(time.RFC3339Nano), line); err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	return nil
}
