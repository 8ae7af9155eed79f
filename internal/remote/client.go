// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// anyPlane stands for the server in requests of the shared client; router puts
// the real one in its place. It is also the host in client-go's metrics, which
// would otherwise grow by a series per plane.
const anyPlane = "https://plane.invalid"

// newSharedClient makes the one client that serves all planes: the codecs and
// REST clients it holds are a large part of what a client per plane would cost.
func newSharedClient(userAgent string) (client.Client, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	shared, err := client.New(restConfig(userAgent), client.Options{
		Scheme:     scheme,
		Mapper:     newMapper(),
		Log:        funcr.New(func(string, string) {}, funcr.Options{}), // logr.Discard would count as unset.
		HTTPClient: &http.Client{Transport: router{}, CheckRedirect: refuseRedirect},
	})
	if err != nil {
		return nil, fmt.Errorf("build client: %w", err)
	}
	return shared, nil
}

func restConfig(userAgent string) *rest.Config {
	return &rest.Config{
		Host:      anyPlane,
		UserAgent: userAgent,
		QPS:       -1, // No limit; the slots are one.
		ContentConfig: rest.ContentConfig{
			ContentType:        contentJSON,
			AcceptContentTypes: contentJSON,
		},
		WarningHandlerWithContext: rest.NoWarnings{},
	}
}

// call is one call of a planeClient, carried by its context to the router.
type call struct {
	conn     *Conn
	answered bool // with success; an error after that is one of decoding
}

type callKey struct{}

// router sends each request to the plane whose planeClient made it.
type router struct{}

func (router) RoundTrip(req *http.Request) (*http.Response, error) {
	current, ok := req.Context().Value(callKey{}).(*call)
	if !ok {
		closeBody(req)
		return nil, failed("route", Unknown)
	}
	base := current.conn.target.base
	routed := req.Clone(req.Context())
	routed.Host = ""
	routed.URL.Scheme, routed.URL.Host = base.Scheme, base.Host
	routed.URL.RawPath = base.EscapedPath() + req.URL.EscapedPath()
	routed.URL.Path = base.Path + req.URL.Path
	answer, err := current.conn.RoundTrip(routed)
	current.answered = err == nil && answer.StatusCode < http.StatusMultipleChoices
	return answer, err
}

// REST is for clients of client-go's that Client is not enough for. The host in it stands for the
// plane's server, which the HTTP client alone reaches, with all the guards of the Conn. As with
// HTTPClient, whoever uses them sees to it that client-go does not log what is sent.
func (c *Conn) REST() (*rest.Config, *http.Client) {
	return restConfig(c.pool.userAgent), &http.Client{Transport: plain{c}, CheckRedirect: refuseRedirect}
}

// plain sends each request to its plane.
type plain struct{ conn *Conn }

func (p plain) RoundTrip(req *http.Request) (*http.Response, error) {
	return router{}.RoundTrip(req.WithContext(context.WithValue(req.Context(), callKey{}, &call{conn: p.conn})))
}

// Client is a typed client of the plane for the core, rbac, authentication,
// authorization, apps and batch kinds it is likely to need. It does no discovery,
// no caching, no retries and no logging, and every error is one Classify knows.
func (c *Conn) Client() client.Client { return planeClient{conn: c, Client: c.pool.client} }

// planeClient adds the plane to every call. Methods that reach no server are the
// shared client's.
type planeClient struct {
	client.Client
	conn *Conn
}

// do runs one call. client-go logs bodies when verbosity is high, tokens
// included, so it gets a logger that discards.
func (c planeClient) do(ctx context.Context, op string, run func(context.Context) error) error {
	current := &call{conn: c.conn}
	err := run(context.WithValue(klog.NewContext(ctx, logr.Discard()), callKey{}, current))
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own // Without the URL that net/http puts around it.
	}
	if current.answered {
		// A decoder's error quotes what it could not decode.
		return failed(op, NotAKubernetesAPI)
	}
	return err
}

// Get reads one object.
func (c planeClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return c.do(ctx, "get object", func(ctx context.Context) error { return c.Client.Get(ctx, key, obj, opts...) })
}

// List reads objects.
func (c planeClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return c.do(ctx, "list objects", func(ctx context.Context) error { return c.Client.List(ctx, list, opts...) })
}

// Apply applies a configuration.
func (c planeClient) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	return c.do(ctx, "apply object", func(ctx context.Context) error { return c.Client.Apply(ctx, obj, opts...) })
}

// Create creates an object.
func (c planeClient) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	return c.do(ctx, "create object", func(ctx context.Context) error { return c.Client.Create(ctx, obj, opts...) })
}

// Delete deletes an object.
func (c planeClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	return c.do(ctx, "delete object", func(ctx context.Context) error { return c.Client.Delete(ctx, obj, opts...) })
}

// Update replaces an object.
func (c planeClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	return c.do(ctx, "update object", func(ctx context.Context) error { return c.Client.Update(ctx, obj, opts...) })
}

// Patch patches an object.
func (c planeClient) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	return c.do(ctx, "patch object", func(ctx context.Context) error { return c.Client.Patch(ctx, obj, patch, opts...) })
}

// DeleteAllOf deletes objects.
func (c planeClient) DeleteAllOf(ctx context.Context, obj client.Object, opts ...client.DeleteAllOfOption) error {
	return c.do(ctx, "delete objects", func(ctx context.Context) error { return c.Client.DeleteAllOf(ctx, obj, opts...) })
}

// Status is the client of the status subresource.
func (c planeClient) Status() client.SubResourceWriter { return c.SubResource("status") }

// SubResource is the client of a subresource.
func (c planeClient) SubResource(name string) client.SubResourceClient {
	return planeSubResource{plane: c, inner: c.Client.SubResource(name)}
}

var (
	_ client.Client            = planeClient{}
	_ client.SubResourceClient = planeSubResource{}
)
