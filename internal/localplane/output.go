// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"bytes"
	"io"
	"os"
	"sync"
)

const (
	tailBytes = 4 << 10
	tailLines = 15
)

// tail is the end of a log file: whole lines, as much as helps in an error.
func tail(path string) string {
	file, err := os.Open(path) //nolint:gosec // our own log file
	if err != nil {
		return "(" + err.Error() + ")"
	}
	defer file.Close() //nolint:errcheck // only read
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	start := max(0, end-tailBytes)
	data, err := io.ReadAll(io.NewSectionReader(file, start, end-start))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	lines := bytes.Split(bytes.TrimRight(data, "\n"), []byte("\n"))
	if start > 0 && len(lines) > 1 {
		lines = lines[1:] // the first is only the rest of one
	}
	lines = lines[max(0, len(lines)-tailLines):]
	return string(bytes.Join(lines, []byte("\n")))
}

// sharedLog lets several processes write to one writer.
type sharedLog struct {
	mu sync.Mutex
	to io.Writer
}

// prefixed is the log of one process: whole lines, each with its prefix.
func (s *sharedLog) prefixed(prefix string) io.Writer {
	return &prefixWriter{log: s, prefix: []byte(prefix)}
}

type prefixWriter struct {
	log    *sharedLog
	prefix []byte
	rest   []byte // of a line whose end has not come yet
}

// Write passes complete lines on. It accepts everything, so that a writer that
// fails never stops a process.
func (w *prefixWriter) Write(data []byte) (int, error) {
	w.rest = append(w.rest, data...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	if end == 0 {
		return len(data), nil
	}
	var out bytes.Buffer
	for line := range bytes.Lines(w.rest[:end]) {
		out.Write(w.prefix)
		out.Write(line)
	}
	w.rest = append(w.rest[:0], w.rest[end:]...)
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	_, _ = w.log.to.Write(out.Bytes())
	return len(data), nil
}
