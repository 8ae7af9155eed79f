// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"crypto/tls"

	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// metrics are for whom the control plane authenticates and authorizes, unless they are
// to be served to everyone.
func (o *Options) metrics() metricsserver.Options {
	options := metricsserver.Options{BindAddress: o.MetricsAddress}
	if o.MetricsInsecure {
		return options
	}
	options.SecureServing = true
	options.FilterProvider = filters.WithAuthenticationAndAuthorization
	// Nothing needs HTTP/2 here, and its resets have been a way to overload servers.
	options.TLSOpts = []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }}
	return options
}
