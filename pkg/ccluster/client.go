// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration"
	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// DefaultFieldManager owns what this library writes.
const DefaultFieldManager = "ccluster-go"

// Client works in one namespace and reaches no other. Clients made from the same
// client.Client share its connections, so one per namespace costs nothing more.
type Client struct {
	kube      client.Client
	namespace string
	manager   string
	owner     client.Object
}

// Option changes how a Client works.
type Option func(*Client)

// WithFieldManager sets the field manager that writes are made as.
// Default: DefaultFieldManager.
func WithFieldManager(name string) Option { return func(c *Client) { c.manager = name } }

// WithController makes the given object the controller of what is applied, and
// accepts only objects that it controls already. The object must have been read
// from the API server.
func WithController(owner client.Object) Option { return func(c *Client) { c.owner = owner } }

// NewClient returns a Client for a namespace. It reads and writes nothing. The
// client's scheme must have the types of NewScheme.
func NewClient(kube client.Client, namespace string, options ...Option) *Client {
	c := &Client{kube: kube, namespace: namespace, manager: DefaultFieldManager}
	for _, option := range options {
		option(c)
	}
	return c
}

// NewScheme returns a scheme of this API's kinds and Kubernetes' own.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientscheme.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("add Kubernetes' kinds to the scheme: %w", err)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("add the API's kinds to the scheme: %w", err)
	}
	return scheme, nil
}

// converter parses large schemas: once is enough.
var converter = sync.OnceValues(func() (managedfields.TypeConverter, error) {
	scheme, err := NewScheme()
	if err != nil {
		return nil, err
	}
	return apply.ChainConverters(
		applyconfiguration.NewTypeConverter(scheme),
		applyconfigurations.NewTypeConverter(scheme),
	), nil
})

// NewApplier returns an applier for this API's kinds and Kubernetes' own.
func NewApplier(kube client.Client, manager string) (apply.Applier, error) {
	types, err := converter()
	if err != nil {
		return apply.Applier{}, err
	}
	return apply.New(kube, types, manager)
}

// Namespace is where the Client works.
func (c *Client) Namespace() string { return c.namespace }

// EnsureNamespace creates the Client's namespace if it is absent. No other method
// does, so that a mistyped namespace is an error instead of a new namespace.
func (c *Client) EnsureNamespace(ctx context.Context) error {
	applier, err := NewApplier(c.kube, c.manager)
	if err != nil {
		return err
	}
	return applier.Object(ctx, corev1ac.Namespace(c.namespace), nil)
}

func (c *Client) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: c.namespace, Name: name}
}
