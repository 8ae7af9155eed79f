// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// safeBuffer is written by processes while a spec reads it.
type safeBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *safeBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(data)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// ownTempDir makes a folder in which nothing but the planes that the spec
// starts from here on can be.
func ownTempDir() string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	GinkgoT().Setenv("TMPDIR", dir)
	return dir
}

func refused(ctx context.Context, server string) {
	GinkgoHelper()
	var dialer net.Dialer
	_, err := dialer.DialContext(ctx, "tcp4", strings.TrimPrefix(server, "https://"))
	Expect(err).To(MatchError(syscall.ECONNREFUSED))
}

var _ = Describe("the life of a plane", func() {
	It("ends with Stop, as often as it is called", func(ctx SpecContext) {
		logs, log := filepath.Join(GinkgoT().TempDir(), "logs"), &safeBuffer{}
		tmp := ownTempDir()
		p, err := localplane.Start(ctx, localplane.Options{
			Name: "short", WithoutControllerManager: true, LogDir: logs, Log: log, ServerNames: []string{"plane.example"},
		})
		Expect(err).NotTo(HaveOccurred())
		front, err := p.Front(ctx)
		Expect(err).NotTo(HaveOccurred())
		cfg := p.Config()
		cfg.ServerName = "plane.example"
		Expect(whoAmI(ctx, clientset(cfg))).To(Equal("kubernetes-admin"), "the extra name is in the certificate")

		Expect(p.Stop(ctx)).To(Succeed())
		Expect(p.Stop(ctx)).To(Succeed())
		Expect(os.ReadDir(tmp)).To(BeEmpty())
		refused(ctx, p.Server())
		refused(ctx, front.Server())
		Expect(p.Check()).To(MatchError(localplane.ErrStopped))
		Expect(p.StartAPIServer(ctx)).To(MatchError(localplane.ErrStopped))
		_, err = p.Front(ctx)
		Expect(err).To(MatchError(localplane.ErrStopped))

		kept, err := os.ReadFile(filepath.Join(logs, "short-kube-apiserver.log"))
		Expect(err).NotTo(HaveOccurred())
		Expect(string(kept)).To(ContainSubstring("Serving securely"))
		Expect(log.String()).To(MatchRegexp(`(?m)^short kube-apiserver: .*Serving securely`))
		Expect(filepath.Join(logs, "short-etcd.log")).To(BeARegularFile())
	})

	It("ends with its context", func(ctx SpecContext) {
		tmp := ownTempDir()
		life, end := context.WithCancel(ctx)
		defer end()
		p, err := localplane.Start(life, localplane.Options{WithoutControllerManager: true})
		Expect(err).NotTo(HaveOccurred())
		end()
		Eventually(func() ([]os.DirEntry, error) { return os.ReadDir(tmp) }).Should(BeEmpty())
		Expect(p.Stop(ctx)).To(Succeed())
		refused(ctx, p.Server())
	})

	It("does not begin when a process cannot run", func(ctx SpecContext) {
		tmp := ownTempDir()
		_, err := localplane.Start(ctx, localplane.Options{
			Name: "broken", APIServerArgs: map[string][]string{"no-such-flag": {"x"}},
		})
		Expect(err).To(MatchError(SatisfyAll(
			HavePrefix("start plane broken: wait for the API server: "),
			ContainSubstring("kube-apiserver ended: exit status 1"),
			ContainSubstring("unknown flag: --no-such-flag"),
		)))
		Expect(os.ReadDir(tmp)).To(BeEmpty())
	})

	It("does not begin for any plane when one of several cannot run", func(ctx SpecContext) {
		noAssets := GinkgoT().TempDir()
		tmp := ownTempDir()
		planes, err := localplane.StartAll(ctx,
			localplane.Options{WithoutControllerManager: true},
			localplane.Options{Assets: noAssets},
		)
		Expect(err).To(MatchError(localplane.ErrNoAssets))
		Expect(err).To(MatchError(ContainSubstring("start plane plane-2: ")))
		Expect(planes).To(BeNil())
		Expect(os.ReadDir(tmp)).To(BeEmpty())
	})
})
