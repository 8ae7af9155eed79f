// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"net/http"
	"time"
)

const (
	// maxHeader caps an answer's header, in bytes.
	maxHeader = 64 << 10
	// maxFlow is how much of an answer an HTTP/2 server may send ahead, in bytes.
	maxFlow = 1 << 20
)

// newTransport has no proxy, since the dialer goes through it, and no
// compression, so that what is capped is what is read.
func newTransport(policy *Policy, dial *dialer, target *endpoint) *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext:            dial.DialContext,
		TLSClientConfig:        target.tls,
		TLSHandshakeTimeout:    policy.TLSTimeout,
		ResponseHeaderTimeout:  policy.HeaderTimeout,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           1,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        policy.IdleTimeout,
		DisableCompression:     true,
		Protocols:              protocols,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:               policy.PingInterval,
			PingTimeout:                   policy.HeaderTimeout,
			WriteByteTimeout:              policy.RequestTimeout,
			MaxReceiveBufferPerConnection: maxFlow,
			MaxReceiveBufferPerStream:     maxFlow,
		},
	}
}

// keepAlive notices peers that vanished, also below HTTP/1.1, which has no pings.
const keepAlive = 30 * time.Second
