// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

func TestWithLogDir(t *testing.T) {
	g := NewWithT(t)
	opts := []localplane.Options{{Name: "a"}, {Name: "b", LogDir: "mine"}}

	t.Setenv(logDirVariable, "")
	g.Expect(withLogDir(opts)).To(Equal(opts))

	t.Setenv(logDirVariable, "logs")
	with := withLogDir(opts)
	g.Expect(with[0].LogDir).To(Equal(filepath.Join("logs", filepath.Base(os.Args[0]))))
	g.Expect(with[1].LogDir).To(Equal("mine"))
	g.Expect(opts[0].LogDir).To(BeEmpty(), "the caller's options stay as they are")
}

func TestStartReportsAnEndedContext(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	planes, err := start(ctx, []localplane.Options{{Assets: t.TempDir()}})
	g.Expect(err).To(HaveOccurred())
	g.Expect(planes).To(BeEmpty())
}
