// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"net"
	"testing"

	. "github.com/onsi/gomega"
)

func TestOptionsDefaults(t *testing.T) {
	g := NewWithT(t)
	o, err := Options{}.withDefaults()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Name).To(Equal("plane"))
	g.Expect(o.StartTimeout).To(Equal(defaultStartTimeout))
}

func TestOptionsRejected(t *testing.T) {
	for name, tt := range map[string]struct {
		opts    Options
		message string
	}{
		"name with a path": {Options{Name: "../x"}, `plane name "../x" must be a DNS label`},
		"upper case name":  {Options{Name: "Infra"}, `plane name "Infra" must be a DNS label`},
		"port":             {Options{APIServerArgs: map[string][]string{"secure-port": {"1"}}}, "plane plane: the API server's secure-port must not be set"},
		"empty SAN":        {Options{ServerNames: []string{"a", ""}}, "plane plane: server name 1 must not be empty"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := tt.opts.withDefaults()
			g.Expect(err).To(MatchError(tt.message))
		})
	}
}

func TestSplitNames(t *testing.T) {
	g := NewWithT(t)
	dns, ips := splitNames([]string{"localhost", "127.0.0.1", "::1", "api.example"})
	g.Expect(dns).To(Equal([]string{"localhost", "api.example"}))
	g.Expect(ips).To(Equal([]net.IP{net.ParseIP("127.0.0.1"), net.ParseIP("::1")}))
}
