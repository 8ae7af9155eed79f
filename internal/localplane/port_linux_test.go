// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"net"
	"strconv"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
)

func TestReservedPortRefusesAndCanBeServedAgainAndAgain(t *testing.T) {
	g := NewWithT(t)
	p, err := reservePort()
	g.Expect(err).NotTo(HaveOccurred())
	address := net.JoinHostPort(loopback, strconv.Itoa(p.number))
	var config net.ListenConfig
	var dialer net.Dialer

	for range 2 {
		_, err = dialer.DialContext(t.Context(), "tcp", address)
		g.Expect(err).To(MatchError(syscall.ECONNREFUSED))

		listener, err := config.Listen(t.Context(), "tcp", address)
		g.Expect(err).NotTo(HaveOccurred())
		conn, err := dialer.DialContext(t.Context(), "tcp", address)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(conn.Close()).To(Succeed())
		g.Expect(listener.Close()).To(Succeed())
	}
	g.Expect(p.release()).To(Succeed())
}

func TestReservedPortsDiffer(t *testing.T) {
	g := NewWithT(t)
	seen := map[int]bool{}
	for range 20 {
		p, err := reservePort()
		g.Expect(err).NotTo(HaveOccurred())
		t.Cleanup(func() { g.Expect(p.release()).To(Succeed()) })
		g.Expect(seen).NotTo(HaveKey(p.number))
		seen[p.number] = true
	}
}
