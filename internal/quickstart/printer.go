// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// printer shows what happens. Nothing of it needs a terminal: no line is ever rewritten, and
// colours only repeat what the words say.
type printer struct {
	out   io.Writer
	color bool
	now   func() time.Time
}

// Colours, as terminals know them.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	faint  = "2"
)

func (p *printer) paint(color, text string) string {
	if !p.color || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// text writes; there is nobody to tell if the screen is gone.
func (p *printer) text(text string) { _, _ = io.WriteString(p.out, text) }

func (p *printer) line(format string, args ...any) { p.text(fmt.Sprintf(format, args...) + "\n") }

func (p *printer) title(text string) { p.line("%s\n", p.paint(bold, text)) }

func (p *printer) heading(text string) { p.line("\n%s", p.paint(bold, text)) }

// command shows what is run next.
func (p *printer) command(args []string) {
	p.line("%s", p.paint(faint, "$ kubectl "+strings.Join(args, " ")))
}

// step says what is done, and then how long that took.
func (p *printer) step(what string, do func() error) error {
	p.text(what + " ... ")
	began := p.now()
	if err := do(); err != nil {
		p.line("%s", p.paint(red, "failed"))
		return err
	}
	p.line("%s", p.paint(faint, p.took(began)))
	return nil
}

// took is the time since then, in seconds with one decimal.
func (p *printer) took(began time.Time) string {
	return fmt.Sprintf("%.1fs", p.now().Sub(began).Seconds())
}

// turned shows a condition that has turned.
func (p *printer) turned(t turn, after string) {
	reason := t.Reason
	if t.Status != metav1.ConditionTrue && t.Message != "" {
		reason += ": " + t.Message
	}
	p.line("  %6s  %-8s %-19s %s %s", after, t.registration, t.Type,
		p.paint(statusColor(t.Status), fmt.Sprintf("%-7s", t.Status)), reason)
}

func statusColor(status metav1.ConditionStatus) string {
	switch status {
	case metav1.ConditionTrue:
		return green
	case metav1.ConditionFalse:
		return red
	default:
		return yellow
	}
}

// table shows rows in columns; the first row is the heading.
func (p *printer) table(rows [][]string) {
	var text strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	_ = columns.Flush() // into memory
	for line := range strings.Lines(text.String()) {
		p.line("%s", strings.TrimRight(line, " \n"))
	}
}
