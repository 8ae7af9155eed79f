// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
)

const (
	ioTimeout = 10 * time.Second
	silence   = 100 * time.Millisecond
)

// answering is a plane whose API server only repeats lines after its name.
func answering(t *testing.T, name string) *Plane {
	t.Helper()
	g := NewWithT(t)
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp4", loopback+":0")
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close() //nolint:errcheck // a test's server
				lines := bufio.NewReader(conn)
				for {
					line, err := lines.ReadString('\n')
					if err != nil {
						return
					}
					if _, err := conn.Write([]byte(name + " " + line)); err != nil {
						return
					}
				}
			}()
		}
	}()
	address, ok := listener.Addr().(*net.TCPAddr)
	g.Expect(ok).To(BeTrue())
	return &Plane{
		opts:   Options{Name: name},
		port:   &port{number: address.Port},
		admin:  &rest.Config{Host: "https://" + address.String(), BearerToken: "t"},
		fronts: map[*Front]struct{}{},
	}
}

func front(t *testing.T, p *Plane) *Front {
	t.Helper()
	g := NewWithT(t)
	f, err := p.Front(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(f.Close()).To(Succeed()) })
	return f
}

// talk is one client's connection.
type talk struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func dial(t *testing.T, f *Front) *talk {
	t.Helper()
	g := NewWithT(t)
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp4", strings.TrimPrefix(f.Server(), "https://"))
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = conn.Close() })
	return &talk{t: t, conn: conn, in: bufio.NewReader(conn)}
}

// resets expects a new connection to be reset, as early as while it is made.
func resets(t *testing.T, f *Front) {
	t.Helper()
	g := NewWithT(t)
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp4", strings.TrimPrefix(f.Server(), "https://"))
	if err == nil {
		t.Cleanup(func() { _ = conn.Close() })
		g.Expect(conn.SetReadDeadline(time.Now().Add(ioTimeout))).To(Succeed())
		_, err = conn.Read(make([]byte, 1))
	}
	g.Expect(err).To(MatchError(syscall.ECONNRESET))
}

func (c *talk) say(line string) {
	c.t.Helper()
	_, err := c.conn.Write([]byte(line + "\n"))
	NewWithT(c.t).Expect(err).NotTo(HaveOccurred())
}

func (c *talk) hear(within time.Duration) (string, error) {
	c.t.Helper()
	NewWithT(c.t).Expect(c.conn.SetReadDeadline(time.Now().Add(within))).To(Succeed())
	line, err := c.in.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

func TestFrontForwards(t *testing.T) {
	g := NewWithT(t)
	p := answering(t, "infra")
	f, second := front(t, p), front(t, p)
	g.Expect(f.Server()).To(HavePrefix("https://127.0.0.1:"))
	g.Expect(f.Server()).NotTo(Or(Equal(p.Server()), Equal(second.Server())))

	c, d := dial(t, f), dial(t, second)
	c.say("hello")
	d.say("world")
	g.Expect(c.hear(ioTimeout)).To(Equal("infra hello"))
	g.Expect(d.hear(ioTimeout)).To(Equal("infra world"))
	g.Expect(f.Accepted()).To(Equal(1))
	g.Expect(f.Open()).To(Equal(1))

	g.Expect(c.conn.Close()).To(Succeed())
	g.Eventually(f.Open).WithTimeout(ioTimeout).Should(BeZero())
	g.Expect(f.Accepted()).To(Equal(1))
}

func TestFrontConfigOnlyChangesTheAddress(t *testing.T) {
	g := NewWithT(t)
	p := answering(t, "infra")
	f := front(t, p)
	through := f.Config(p.admin)
	g.Expect(through.Host).To(Equal(f.Server()))
	g.Expect(through.BearerToken).To(Equal("t"))
	g.Expect(p.admin.Host).To(Equal(p.Server()))
	data, err := f.Kubeconfig()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(data)).To(ContainSubstring("server: " + f.Server() + "\n"))
}

func TestFrontPauseHoldsBackAndLosesNothing(t *testing.T) {
	g := NewWithT(t)
	f := front(t, answering(t, "infra"))
	old := dial(t, f)
	old.say("one")
	g.Expect(old.hear(ioTimeout)).To(Equal("infra one"))

	f.Pause()
	old.say("two")
	fresh := dial(t, f)
	fresh.say("three")
	_, err := old.hear(silence)
	g.Expect(err).To(MatchError(os.ErrDeadlineExceeded))
	_, err = fresh.hear(silence)
	g.Expect(err).To(MatchError(os.ErrDeadlineExceeded))

	f.Resume()
	g.Expect(old.hear(ioTimeout)).To(Equal("infra two"))
	g.Expect(fresh.hear(ioTimeout)).To(Equal("infra three"))
}

func TestFrontDropResetsUntilResume(t *testing.T) {
	g := NewWithT(t)
	f := front(t, answering(t, "infra"))
	old := dial(t, f)
	old.say("one")
	g.Expect(old.hear(ioTimeout)).To(Equal("infra one"))

	f.Drop()
	_, err := old.hear(ioTimeout)
	g.Expect(err).To(MatchError(syscall.ECONNRESET))
	resets(t, f)
	g.Eventually(f.Open).WithTimeout(ioTimeout).Should(BeZero())

	f.Resume()
	again := dial(t, f)
	again.say("two")
	g.Expect(again.hear(ioTimeout)).To(Equal("infra two"))
}

func TestFrontDropEndsAPause(t *testing.T) {
	g := NewWithT(t)
	f := front(t, answering(t, "infra"))
	f.Pause()
	c := dial(t, f)
	g.Eventually(f.Open).WithTimeout(ioTimeout).Should(Equal(1))
	f.Drop()
	_, err := c.hear(ioTimeout)
	g.Expect(err).To(MatchError(syscall.ECONNRESET))
}

func TestFrontRetargetLeadsElsewhere(t *testing.T) {
	g := NewWithT(t)
	f := front(t, answering(t, "first"))
	other := answering(t, "second")
	old := dial(t, f)
	old.say("one")
	g.Expect(old.hear(ioTimeout)).To(Equal("first one"))

	f.Retarget(other)
	_, err := old.hear(ioTimeout)
	g.Expect(err).To(MatchError(syscall.ECONNRESET))
	fresh := dial(t, f)
	fresh.say("two")
	g.Expect(fresh.hear(ioTimeout)).To(Equal("second two"))
}

func TestFrontOfAServerThatIsDownResets(t *testing.T) {
	g := NewWithT(t)
	free, err := reservePort()
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(free.release()).To(Succeed()) })
	p := answering(t, "infra")
	p.port = free
	resets(t, front(t, p))
}

func TestFrontClose(t *testing.T) {
	g := NewWithT(t)
	p := answering(t, "infra")
	f := front(t, p)
	c := dial(t, f)
	c.say("one")
	g.Expect(c.hear(ioTimeout)).To(Equal("infra one"))
	f.Pause()
	waiting := dial(t, f)
	g.Eventually(f.Open).WithTimeout(ioTimeout).Should(Equal(2))

	g.Expect(f.Close()).To(Succeed())
	g.Expect(f.Close()).To(Succeed())
	for _, conn := range []*talk{c, waiting} {
		_, err := conn.hear(ioTimeout)
		g.Expect(err).To(MatchError(syscall.ECONNRESET))
	}
	g.Expect(f.Open()).To(BeZero())
	g.Expect(p.fronts).To(BeEmpty())
	f.Resume() // changes nothing any more
	var dialer net.Dialer
	_, err := dialer.DialContext(t.Context(), "tcp4", strings.TrimPrefix(f.Server(), "https://"))
	g.Expect(err).To(MatchError(syscall.ECONNREFUSED))
}

func TestFrontOutlivesTheContextItWasOpenedWith(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	f, err := answering(t, "infra").Front(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(f.Close()).To(Succeed()) })
	cancel()
	c := dial(t, f)
	c.say("one")
	g.Expect(c.hear(ioTimeout)).To(Equal("infra one"))
}

func TestFrontOfAStoppedPlane(t *testing.T) {
	g := NewWithT(t)
	p := answering(t, "infra")
	p.stopped = true
	_, err := p.Front(t.Context())
	g.Expect(errors.Is(err, ErrStopped)).To(BeTrue())
	g.Expect(err).To(MatchError("open front of plane infra: the plane is stopped"))
}
