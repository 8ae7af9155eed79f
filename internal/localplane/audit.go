// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages:
- RequestReceived
rules:
- level: Metadata
`

// AuditEvent is one request the API server answered or is answering.
type AuditEvent struct {
	ID         string
	Verb       string // get, list, watch, create, update, patch, delete, …
	RequestURI string
	User       string
	// ImpersonatedUser is whom User acted as, if anybody.
	ImpersonatedUser string
	UserAgent        string
	APIGroup         string // empty for the core group and for what is no resource
	Resource         string // plural; empty for what is no resource
	Subresource      string
	Namespace        string
	Name             string
	Code             int // HTTP status
	Received         time.Time
	// Complete is false for a watch, or another long request, that is running.
	Complete bool
}

// AuditFilter selects requests. Empty fields select all.
type AuditFilter struct {
	// Since is a result of AuditPosition: only requests first logged after it.
	Since int64
	// UserAgent is a prefix.
	UserAgent   string
	User        string
	Verbs       []string
	APIGroup    string
	Resource    string
	Subresource string
	Namespace   string
	Name        string
	// Where is asked last.
	Where func(AuditEvent) bool
}

func (f AuditFilter) selects(e AuditEvent) bool {
	same := func(want, got string) bool { return want == "" || want == got }
	return strings.HasPrefix(e.UserAgent, f.UserAgent) &&
		(len(f.Verbs) == 0 || slices.Contains(f.Verbs, e.Verb)) &&
		same(f.User, e.User) &&
		same(f.APIGroup, e.APIGroup) &&
		same(f.Resource, e.Resource) &&
		same(f.Subresource, e.Subresource) &&
		same(f.Namespace, e.Namespace) &&
		same(f.Name, e.Name) &&
		(f.Where == nil || f.Where(e))
}

// AuditPosition is the present end of the audit log, for AuditFilter.Since.
func (p *Plane) AuditPosition() (int64, error) {
	path, err := p.auditLog()
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("read audit log of plane %s: %w", p.opts.Name, err)
	}
	return info.Size(), nil
}

// Audit returns the selected requests in the order of their first log entry,
// one event per request. A request is in the log before an HTTP/2 client, which
// every Kubernetes client is, has read its answer to the end.
func (p *Plane) Audit(filter AuditFilter) ([]AuditEvent, error) {
	path, err := p.auditLog()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path) //nolint:gosec // our own log file
	if err != nil {
		return nil, fmt.Errorf("read audit log of plane %s: %w", p.opts.Name, err)
	}
	defer file.Close() //nolint:errcheck // only read
	events, err := readAudit(file, filter)
	if err != nil {
		return nil, fmt.Errorf("read audit log of plane %s: %w", p.opts.Name, err)
	}
	return events, nil
}

func (p *Plane) auditLog() (string, error) {
	if !p.opts.AuditLog {
		return "", fmt.Errorf("plane %s was started without an audit log", p.opts.Name)
	}
	return filepath.Join(p.dir.path, auditLogFile), nil
}

// readAudit reads the log from its beginning even for a filter with a position:
// the end of a watch that began before it is not a request made after it.
func readAudit(log io.Reader, filter AuditFilter) ([]AuditEvent, error) {
	var events []AuditEvent
	index := map[string]int{} // by ID; -1 for a request before filter.Since
	var position int64
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // a line without its end is being written
		}
		if err != nil {
			return nil, err
		}
		var entry auditEntry
		if err := json.Unmarshal(line, &entry); err != nil {
			return nil, fmt.Errorf("decode entry at byte %d: %w", position, err)
		}
		i, known := index[entry.AuditID]
		switch {
		case known && i >= 0:
			events[i] = entry.event()
		case known:
		case position < filter.Since:
			index[entry.AuditID] = -1
		default:
			index[entry.AuditID] = len(events)
			events = append(events, entry.event())
		}
		position += int64(len(line))
	}
	return slices.DeleteFunc(events, func(e AuditEvent) bool { return !filter.selects(e) }), nil
}

// auditEntry is what is used of an audit.k8s.io/v1 Event.
type auditEntry struct {
	AuditID                  string
	Stage                    string
	RequestURI               string
	Verb                     string
	User                     struct{ Username string }
	ImpersonatedUser         struct{ Username string }
	UserAgent                string
	ObjectRef                struct{ Resource, Namespace, Name, APIGroup, Subresource string }
	ResponseStatus           struct{ Code int }
	RequestReceivedTimestamp time.Time
}

func (e auditEntry) event() AuditEvent {
	return AuditEvent{
		ID:               e.AuditID,
		Verb:             e.Verb,
		RequestURI:       e.RequestURI,
		User:             e.User.Username,
		ImpersonatedUser: e.ImpersonatedUser.Username,
		UserAgent:        e.UserAgent,
		APIGroup:         e.ObjectRef.APIGroup,
		Resource:         e.ObjectRef.Resource,
		Subresource:      e.ObjectRef.Subresource,
		Namespace:        e.ObjectRef.Namespace,
		Name:             e.ObjectRef.Name,
		Code:             e.ResponseStatus.Code,
		Received:         e.RequestReceivedTimestamp,
		Complete:         e.Stage != "ResponseStarted",
	}
}
