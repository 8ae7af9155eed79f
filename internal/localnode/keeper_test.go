// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

func TestAProgramThatEndsIsStartedAgain(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	var prepared atomic.Int32
	k, err := keep(t.Context(), localplane.Program{
		Name: "shell", Binary: "/bin/sh", Args: []string{"-c", "echo no config >&2; exit 3"},
		Dir: dir, LogFile: filepath.Join(dir, "log"),
	}, func(context.Context) { prepared.Add(1) })
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(prepared.Load, "10s").Should(BeNumerically(">=", 2))
	g.Expect(k.ended()).To(MatchError(And(ContainSubstring("exit status 3"), ContainSubstring("no config"))))
	g.Expect(k.stop()).To(Succeed())
	starts := prepared.Load()
	g.Consistently(prepared.Load, 2*restartPause).Should(Equal(starts))
}

func TestAProgramThatRunsIsLeftAlone(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	var prepared atomic.Int32
	k, err := keep(t.Context(), localplane.Program{
		Name: "shell", Binary: "/bin/sh", Args: []string{"-c", "while :; do sleep 1; done"}, Dir: dir, LogFile: filepath.Join(dir, "log"),
	}, func(context.Context) { prepared.Add(1) })
	g.Expect(err).NotTo(HaveOccurred())
	g.Consistently(k.ended, 2*restartPause).Should(Succeed())
	g.Expect(k.stop()).To(Succeed())
	g.Expect(prepared.Load()).To(BeZero())
}
