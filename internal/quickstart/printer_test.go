// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package quickstart

import (
	"errors"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// paper is a printer on paper, whose clock is 1.5 seconds later each time it is read.
func paper(color bool) (*printer, *strings.Builder) {
	var out strings.Builder
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return &printer{out: &out, color: color, now: func() time.Time {
		now = now.Add(1500 * time.Millisecond)
		return now
	}}, &out
}

func TestStepTellsHowLongItTook(t *testing.T) {
	g := NewWithT(t)
	p, out := paper(false)
	g.Expect(p.step("Starting", func() error {
		g.Expect(out.String()).To(Equal("Starting ... "), "it is told before it is done")
		return nil
	})).To(Succeed())
	g.Expect(out.String()).To(Equal("Starting ... 1.5s\n"))
}

func TestStepTellsThatItFailed(t *testing.T) {
	g := NewWithT(t)
	p, out := paper(false)
	g.Expect(p.step("Starting", func() error { return errors.New("no") })).To(MatchError("no"))
	g.Expect(out.String()).To(Equal("Starting ... failed\n"))
}

func TestTurnedIsOneAlignedLine(t *testing.T) {
	g := NewWithT(t)
	p, out := paper(false)
	p.turned(turn{"edge-1", metav1.Condition{Type: "Reachable", Status: "True", Reason: "Connected", Message: "not shown"}}, "0.3s")
	p.turned(turn{"hub", metav1.Condition{Type: "CredentialsApplied", Status: "Unknown", Reason: "Waiting", Message: "for rain"}}, "12.0s")
	g.Expect(out.String()).To(Equal("" +
		"    0.3s  edge-1   Reachable           True    Connected\n" +
		"   12.0s  hub      CredentialsApplied  Unknown Waiting: for rain\n"))
}

func TestTableHasAlignedColumnsAndNoTrailingBlanks(t *testing.T) {
	g := NewWithT(t)
	p, out := paper(false)
	p.table([][]string{{"A", "B", "C"}, {"long", "x", ""}, {"s", "longer", "z"}})
	g.Expect(out.String()).To(Equal("" +
		"A      B        C\n" +
		"long   x\n" +
		"s      longer   z\n"))
}

func TestColorsAreForTerminalsOnly(t *testing.T) {
	show := func(p *printer) {
		p.title("t")
		p.heading("h")
		p.command([]string{"get"})
		p.turned(turn{"edge-1", metav1.Condition{Type: "Ready", Status: "False", Reason: "NotReady"}}, "0.1s")
		_ = p.step("s", func() error { return nil })
		p.table([][]string{{"A"}, {"b"}})
	}
	g := NewWithT(t)
	plain, plainOut := paper(false)
	show(plain)
	g.Expect(plainOut.String()).NotTo(ContainSubstring("\x1b"))
	colored, coloredOut := paper(true)
	show(colored)
	g.Expect(coloredOut.String()).To(ContainSubstring("\x1b[31mFalse  \x1b[0m"))
	// The words are the same.
	strip := strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[31m", "")
	g.Expect(strip.Replace(coloredOut.String())).To(Equal(plainOut.String()))
}
