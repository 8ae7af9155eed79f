// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"net/netip"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// names is a resolver that knows these and nothing else.
type names map[string][]netip.Addr

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if addrs, ok := n[host]; ok {
		return addrs, nil
	}
	return nil, errors.New("no such host")
}

var dns = names{
	"cp.example.com":       {netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")},
	"other.cp.example.com": {netip.MustParseAddr("192.0.2.9")},
	"alias.example.com":    {netip.MustParseAddr("192.0.2.1")},
	"localhost":            {netip.MustParseAddr("127.0.0.1")},
	"edge.example.com":     {netip.MustParseAddr("198.51.100.1")},
}

func TestOwnServerIsNeverDialled(t *testing.T) {
	for _, c := range []struct {
		name, own      string
		denied, passed []string
	}{
		{
			"address", "https://192.0.2.1:6443",
			[]string{"https://192.0.2.1:6443", "https://alias.example.com:6443", "https://[::ffff:192.0.2.1]:6443"},
			[]string{"https://192.0.2.1:6444", "https://edge.example.com:6443"},
		},
		{
			"default port", "https://192.0.2.1",
			[]string{"https://192.0.2.1", "https://192.0.2.1:443"},
			[]string{"https://192.0.2.1:6443"},
		},
		{
			"address without a scheme", "192.0.2.1:6443",
			[]string{"https://192.0.2.1:6443"},
			[]string{"https://edge.example.com"},
		},
		{
			"name", "https://cp.example.com:6443/k8s/clusters/a",
			// The name whatever it resolves to, and the addresses whatever they are called.
			[]string{"https://cp.example.com", "https://192.0.2.1:6443", "https://[2001:db8::1]:6443", "https://alias.example.com:6443"},
			[]string{"https://192.0.2.1:6444", "https://edge.example.com", "https://other.cp.example.com"},
		},
		{
			"name that resolves to nothing", "https://gone.example.com:6443",
			[]string{"https://gone.example.com:6443"},
			[]string{"https://edge.example.com"},
		},
		{
			"loopback name", "https://localhost:6443",
			[]string{"https://127.0.0.1:6443", "https://localhost:6443"},
			// Another server of this machine.
			[]string{"https://127.0.0.1:7443", "https://localhost:7443"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewWithT(t)
			o := DefaultOptions()
			o.AllowCIDRs = []string{"0.0.0.0/0", "::/0"}
			policy, err := o.policy(t.Context(), &rest.Config{Host: c.own, TLSClientConfig: rest.TLSClientConfig{CAData: []byte("x")}}, dns)
			g.Expect(err).NotTo(HaveOccurred())
			for _, server := range c.denied {
				g.Expect(check(t, policy, server)).To(Equal(remote.AddressDenied), server)
			}
			for _, server := range c.passed {
				g.Expect(check(t, policy, server)).To(Equal(remote.None), server)
			}
		})
	}
}

func TestPolicyKeepsTheDefaults(t *testing.T) {
	g := NewWithT(t)
	o := DefaultOptions()
	policy, err := o.policy(t.Context(), &rest.Config{Host: "https://cp.example.com"}, dns)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(policy.Deny).To(Equal(remote.DefaultDeny()))
	g.Expect(policy.AllowProxy).To(BeFalse())
	g.Expect(policy.AllowInsecure).To(BeFalse())
	g.Expect(policy.RequestTimeout).To(Equal(remote.DefaultPolicy().RequestTimeout))
	for _, server := range []string{"https://kubernetes.default.svc", "https://127.0.0.1:6443", "https://169.254.169.254"} {
		g.Expect(check(t, policy, server)).To(Equal(remote.AddressDenied), server)
	}
	g.Expect(check(t, policy, "https://edge.example.com")).To(Equal(remote.None))
}

func TestDenyReplacesAndAllowExcepts(t *testing.T) {
	g := NewWithT(t)
	o := DefaultOptions()
	o.DenyCIDRs, o.AllowCIDRs = []string{"198.51.100.0/24"}, []string{"198.51.100.7"}
	o.AllowProxy, o.AllowInsecure = true, true
	policy, err := o.policy(t.Context(), &rest.Config{Host: "https://cp.example.com"}, dns)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(policy.AllowProxy).To(BeTrue())
	g.Expect(policy.AllowInsecure).To(BeTrue())
	g.Expect(check(t, policy, "https://edge.example.com")).To(Equal(remote.AddressDenied))
	g.Expect(check(t, policy, "https://198.51.100.7")).To(Equal(remote.None))
	g.Expect(check(t, policy, "https://127.0.0.1:6443")).To(Equal(remote.None), "the defaults are replaced")
}

// check tells what the policy says of a server.
func check(t *testing.T, policy remote.Policy, server string) remote.Kind {
	t.Helper()
	pool, err := remote.NewPool(policy, remote.WithResolver(dns))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ep := kubeconfig.Endpoint{Server: server}
	if _, err := pool.Connect(types.NamespacedName{Name: "a"}, ep, kubeconfig.Credential{BearerToken: "token"}); err != nil {
		return remote.Classify(err).Kind
	}
	return remote.Classify(pool.Check(t.Context(), ep)).Kind
}
