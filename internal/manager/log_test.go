// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"encoding/json"
	"errors"
	stdlog "log"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestJSONLogHasOneObjectPerLine(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	logger := NewLogger(&out, &Options{LogFormat: LogJSON})
	logger.WithName("a").Info("Made something", "name", "edge-1", "took", 2*time.Second)
	logger.Error(errors.New("no"), "Lost something")

	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	g.Expect(lines).To(HaveLen(2))
	var first, second map[string]any
	g.Expect(json.Unmarshal([]byte(lines[0]), &first)).To(Succeed())
	g.Expect(first).To(And(
		HaveKeyWithValue("level", "info"), HaveKeyWithValue("logger", "a"), HaveKeyWithValue("msg", "Made something"),
		HaveKeyWithValue("name", "edge-1"), HaveKeyWithValue("took", "2s"), HaveKey("time"),
	))
	_, err := time.Parse(time.RFC3339Nano, first["time"].(string))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(json.Unmarshal([]byte(lines[1]), &second)).To(Succeed())
	g.Expect(second).To(And(HaveKeyWithValue("level", "error"), HaveKeyWithValue("error", "no"), Not(HaveKey("stacktrace"))))
}

func TestLogLevelIsTheHighestThatIsWritten(t *testing.T) {
	for level := range maxLogLevel + 1 {
		g := NewWithT(t)
		var out bytes.Buffer
		logger := NewLogger(&out, &Options{LogFormat: LogJSON, LogLevel: level})
		for v := range 10 {
			logger.V(v).Info("x")
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		g.Expect(lines).To(HaveLen(level + 1))
		for v, line := range lines {
			var entry map[string]any
			g.Expect(json.Unmarshal([]byte(line), &entry)).To(Succeed())
			g.Expect(entry).To(HaveKeyWithValue("v", BeEquivalentTo(v)))
			g.Expect(entry).To(HaveKeyWithValue("level", map[bool]string{true: "info", false: "debug"}[v == 0]))
		}
	}
}

func TestConsoleLogIsForPeople(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	NewLogger(&out, &Options{LogFormat: LogConsole}).Info("Made something", "name", "edge-1")
	g.Expect(out.String()).To(MatchRegexp(`\tinfo\tMade something\t\{.*"name": "edge-1"\}\n$`))
}

func TestLinesOfPackageLogAreLogged(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	library := stdlog.New(lines{NewLogger(&out, &Options{LogFormat: LogJSON, LogLevel: 1})}, "", 0)
	library.Print("http: TLS handshake error")
	var entry map[string]any
	g.Expect(json.Unmarshal(out.Bytes(), &entry)).To(Succeed())
	g.Expect(entry).To(And(HaveKeyWithValue("msg", "A library logged"), HaveKeyWithValue("line", "http: TLS handshake error")))

	out.Reset()
	stdlog.New(lines{NewLogger(&out, &Options{LogFormat: LogJSON})}, "", 0).Print("http: TLS handshake error")
	g.Expect(out.String()).To(BeEmpty())
}

func TestNothingThatAServerSentUnaskedIsLogged(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	l := lines{NewLogger(&out, &Options{LogFormat: LogJSON, LogLevel: maxLogLevel})}
	text := `Unsolicited response received on idle HTTP channel starting with "canary"; err=<nil>` + "\n"
	g.Expect(l.Write([]byte(text))).To(Equal(len(text)))
	g.Expect(out.String()).To(BeEmpty())
	g.Expect(l.Write([]byte("another line\n"))).To(Equal(len("another line\n")))
	g.Expect(out.String()).To(ContainSubstring("another line"))
}
