// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// reach asks for the version at an endpoint.
func reach(t *testing.T, policy Policy, ep kubeconfig.Endpoint, options ...Option) error {
	t.Helper()
	conn, err := newPool(t, policy, options...).Connect(edge("edge-1"), ep, bearer())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	_, err = conn.Version(t.Context())
	return err
}

func TestNameThatResolvesToADeniedAddress(t *testing.T) {
	t.Parallel()
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	for name, addrs := range map[string][]string{
		"loopback":           {"127.0.0.1"},
		"loopback, mapped":   {"::ffff:127.0.0.1"},
		"loopback and other": {"203.0.113.7", "127.0.0.1"},
		"metadata":           {"169.254.169.254"},
		"link-local, zoned":  {"fe80::1%lo"},
	} {
		names := &resolver{answers: [][]string{addrs}}
		expectFailure(t, reach(t, DefaultPolicy(), p.named(), WithResolver(names)), AddressDenied)
		NewWithT(t).Expect(names.count()).To(Equal(1), name)
	}
	NewWithT(t).Expect(p.accepted.Load()).To(BeZero())
}

func TestDeniedEndpointBehindAName(t *testing.T) {
	t.Parallel()
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	policy := loopback()
	policy.DenyAddrPorts = []netip.AddrPort{netip.MustParseAddrPort(p.Listener.Addr().String())}
	names := &resolver{answers: [][]string{{"127.0.0.1"}}}
	expectFailure(t, reach(t, policy, p.named(), WithResolver(names)), AddressDenied)
	NewWithT(t).Expect(p.accepted.Load()).To(BeZero())
}

// A name that is resolved again between the check and the dial could point
// elsewhere by then.
func TestResolvesOncePerDial(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	names := &resolver{answers: [][]string{{"127.0.0.1"}, {"127.0.0.2"}}}
	pool := newPool(t, loopback(), WithResolver(names))

	conn, err := pool.Connect(edge("edge-1"), p.named(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	_, err = conn.Version(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names.count()).To(Equal(1))

	fresh, err := pool.Fresh(edge("edge-1"), p.named(), bearer())
	g.Expect(err).NotTo(HaveOccurred())
	defer fresh.Close()
	_, err = fresh.Version(t.Context())
	expectFailure(t, err, AddressDenied)
	g.Expect(names.count()).To(Equal(2))
	g.Expect(p.accepted.Load()).To(Equal(int64(1)))
}

func TestTriesTheNextAddress(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	policy := loopback()
	policy.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	names := &resolver{answers: [][]string{{"127.0.0.2", "127.0.0.1"}}} // The first refuses.
	g.Expect(reach(t, policy, p.named(), WithResolver(names))).To(Succeed())
	g.Expect(p.accepted.Load()).To(Equal(int64(1)))
}

// What is dialled is what was resolved, not what happens to listen elsewhere.
func TestDialsTheResolvedAddress(t *testing.T) {
	t.Parallel()
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	policy := loopback()
	policy.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	names := &resolver{answers: [][]string{{"127.0.0.2"}}}
	expectFailure(t, reach(t, policy, p.named(), WithResolver(names)), ConnectionRefused)
	NewWithT(t).Expect(p.accepted.Load()).To(BeZero())
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	policy := DefaultPolicy()
	names := &resolver{answers: [][]string{{"203.0.113.7"}}}
	for address, want := range map[string]Kind{
		"plane.example:6443":          None,
		"kubernetes.default.svc:6443": AddressDenied,
		"plane.example:0":             InvalidConfig,
		"plane.example:https":         InvalidConfig,
		"plane.example":               InvalidConfig,
	} {
		_, kind := policy.resolve(t.Context(), names, address)
		NewWithT(t).Expect(kind).To(Equal(want), address)
	}
}

func TestManyAddresses(t *testing.T) {
	t.Parallel()
	policy := DefaultPolicy()
	many := make([]string, 100)
	for i := range many {
		many[i] = "203.0.113.7"
	}
	endpoints, kind := policy.resolve(t.Context(), &resolver{answers: [][]string{many}}, "plane.example:6443")
	NewWithT(t).Expect(kind).To(Equal(None))
	NewWithT(t).Expect(endpoints).To(HaveLen(16))
}

func TestDialFailures(t *testing.T) {
	t.Parallel()
	closed := refusingAddress(t)
	expectFailure(t, reach(t, loopback(), kubeconfig.Endpoint{Server: "https://" + closed}), ConnectionRefused)
	expectFailure(t, reach(t, loopback(), kubeconfig.Endpoint{Server: "https://plane.example"}, WithResolver(&resolver{})), NameNotResolved)
	hasty := loopback()
	hasty.DialTimeout = short
	expectFailure(t, reach(t, hasty, kubeconfig.Endpoint{Server: "https://plane.example"}, WithResolver(deaf{})), NameNotResolved)
}

// deaf is a name server that does not answer.
type deaf struct{}

func (deaf) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// refusingAddress is a port that was free a moment ago.
func refusingAddress(t *testing.T) string {
	t.Helper()
	listener := listen(t)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func TestCheck(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p := startPlane(t, fixed(http.StatusOK, "application/json", goodVersion))
	check := func(policy Policy, ep kubeconfig.Endpoint, addrs ...string) error {
		names := &resolver{answers: [][]string{addrs}}
		return newPool(t, policy, WithResolver(names)).Check(t.Context(), ep)
	}
	g.Expect(check(loopback(), p.named(), "127.0.0.1")).To(Succeed())
	g.Expect(check(DefaultPolicy(), p.named(), "203.0.113.7")).To(Succeed())
	expectFailure(t, check(DefaultPolicy(), p.named(), "203.0.113.7", "127.0.0.1"), AddressDenied)
	expectFailure(t, check(DefaultPolicy(), p.endpoint()), AddressDenied)
	expectFailure(t, newPool(t, loopback(), WithResolver(&resolver{})).Check(t.Context(), p.named()), NameNotResolved)

	proxied := p.named()
	proxied.ProxyURL = "http://proxy.example"
	expectFailure(t, check(loopback(), proxied, "127.0.0.1"), ProxyNotAllowed)
	policy := DefaultPolicy()
	policy.AllowProxy = true
	g.Expect(check(policy, proxied, "127.0.0.1")).To(Succeed()) // The proxy resolves the name.
	proxied.Server = strings.Replace(proxied.Server, "plane.example", "169.254.169.254", 1)
	expectFailure(t, check(policy, proxied), AddressDenied)
	g.Expect(p.accepted.Load()).To(BeZero())
}
