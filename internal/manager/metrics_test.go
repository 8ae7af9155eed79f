// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"crypto/tls"
	"testing"

	. "github.com/onsi/gomega"
)

func TestMetricsAreProtectedByDefault(t *testing.T) {
	g := NewWithT(t)
	o := DefaultOptions()
	m := o.metrics()
	g.Expect(m.BindAddress).To(Equal(":8443"))
	g.Expect(m.SecureServing).To(BeTrue())
	g.Expect(m.FilterProvider).NotTo(BeNil())
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	for _, change := range m.TLSOpts {
		change(config)
	}
	g.Expect(config.NextProtos).To(Equal([]string{"http/1.1"}))
}

func TestMetricsInsecureIsPlainAndOpen(t *testing.T) {
	g := NewWithT(t)
	o := DefaultOptions()
	o.MetricsInsecure, o.MetricsAddress = true, "127.0.0.1:8080"
	m := o.metrics()
	g.Expect(m.BindAddress).To(Equal("127.0.0.1:8080"))
	g.Expect(m.SecureServing).To(BeFalse())
	g.Expect(m.FilterProvider).To(BeNil())
}
