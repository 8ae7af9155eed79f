// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"errors"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// Client calls an API server, in one namespace. It is safe for concurrent use.
type Client struct {
	dynamic   dynamic.Interface
	core      corev1client.CoreV1Interface
	namespace string
}

// NewClient returns a Client. It does no I/O but to read the files that the Config names.
func NewClient(config Config) (*Client, error) {
	if config.REST == nil {
		return nil, errors.New("k8s: Config.REST must be set")
	}
	settings := rest.CopyConfig(config.REST)
	if settings.QPS == 0 {
		settings.QPS = -1 // The server limits by itself.
	}
	if settings.WarningHandler == nil && settings.WarningHandlerWithContext == nil {
		settings.WarningHandlerWithContext = rest.NoWarnings{}
	}
	sender := config.HTTP
	if sender == nil {
		made, err := rest.HTTPClientFor(settings)
		if err != nil {
			return nil, fmt.Errorf("k8s: make client: %w", err)
		}
		sender = made
	}
	return newClient(settings, sender, config.namespace())
}

func newClient(settings *rest.Config, sender *http.Client, namespace string) (*Client, error) {
	objects, err := dynamic.NewForConfigAndClient(settings, sender)
	if err != nil {
		return nil, fmt.Errorf("k8s: make client: %w", err)
	}
	core, err := corev1client.NewForConfigAndClient(settings, sender)
	if err != nil {
		return nil, fmt.Errorf("k8s: make client: %w", err)
	}
	return &Client{dynamic: objects, core: core, namespace: namespace}, nil
}

// In returns a Client for another namespace that shares this one's connections. An empty one
// means this one's.
func (c *Client) In(namespace string) *Client {
	other := *c
	if namespace != "" {
		other.namespace = namespace
	}
	return &other
}

// Namespace is the one that calls work in.
func (c *Client) Namespace() string { return c.namespace }

// of returns client-go's client of a resource.
func (c *Client) of(r Resource) (dynamic.ResourceInterface, schema.GroupVersionResource, error) {
	at, err := r.gvr()
	if err != nil {
		return nil, at, err
	}
	return c.dynamic.Resource(at).Namespace(c.namespace), at, nil
}
