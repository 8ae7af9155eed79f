// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"flag"
	"fmt"
	"io"
	stdlog "log"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	"github.com/go-logr/zapr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// NewLogger returns a logger that writes lines to w in the options' format and verbosity.
func NewLogger(w io.Writer, o *Options) logr.Logger {
	encoding := zap.NewProductionEncoderConfig()
	encoding.TimeKey = "time"
	encoding.EncodeLevel = encodeLevel
	encoding.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	encoding.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(encoding)
	if o.LogFormat == LogConsole {
		encoder = zapcore.NewConsoleEncoder(encoding)
	}
	// Zap counts verbosity downwards from zero.
	level := zapcore.Level(-o.LogLevel) //nolint:gosec // from 0 to 5
	core := zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), level)
	return zapr.NewLoggerWithOptions(zap.New(core), zapr.LogInfoLevel("v"))
}

// encodeLevel calls every verbosity above 0 debug; the key v says which it is.
func encodeLevel(level zapcore.Level, enc zapcore.PrimitiveArrayEncoder) {
	enc.AppendString(max(level, zapcore.DebugLevel).String())
}

// UseLogger makes a logger the one of the whole program, client libraries and Go's own
// HTTP servers included.
func UseLogger(logger logr.Logger, o *Options) error {
	ctrl.SetLogger(logger)
	stdlog.SetFlags(0)
	stdlog.SetOutput(lines{logger.WithName("go")})
	klog.SetLoggerWithOptions(logger, klog.ContextualLogger(true))
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	if err := flags.Set("v", strconv.Itoa(o.LogLevel)); err != nil {
		return fmt.Errorf("set klog's verbosity: %w", err)
	}
	return nil
}

// lines is what Go's package log writes to. Anybody can make a server complain, so it is
// not logged by default.
type lines struct{ logger logr.Logger }

// Write logs a line, but none that quotes what a server has sent unasked: that may be any
// text, a token it was shown included.
func (l lines) Write(line []byte) (int, error) {
	if strings.HasPrefix(string(line), "Unsolicited response") {
		return len(line), nil
	}
	l.logger.V(1).Info("A library logged", "line", strings.TrimSpace(string(line)))
	return len(line), nil
}
