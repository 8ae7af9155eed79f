// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster

import (
	"context"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	v1alpha1ac "github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// InfraPlane is what ApplyInfraPlane registers. The zero value is the operator's own
// cluster, which needs no credential. It holds a token: do not log it.
type InfraPlane struct {
	// Server is the https URL that Argo CD dials.
	Server string
	// BearerToken is presented to Server.
	BearerToken string
	// CACert is PEM. Empty: the system's trust store.
	CACert []byte
	// TLSServerName replaces Server's host in certificate verification.
	TLSServerName string
	// ProxyURL is an http, https or socks5 proxy.
	ProxyURL string
	// Insecure turns certificate verification off; not with CACert.
	Insecure bool
	// Namespaces limit what Argo CD manages on the plane. Empty: all.
	Namespaces []string
	// ClusterResources lets Argo CD manage cluster-scoped resources although
	// Namespaces are given.
	ClusterResources bool
	// Labels and Annotations are put on the credentials Secret, from where they
	// reach the Argo CD cluster Secret unless their domain is reserved.
	Labels, Annotations map[string]string
	// Finalizer is put on the credentials Secret. Optional.
	Finalizer string
}

// String keeps the token out of formatted output.
func (InfraPlane) String() string { return "infra plane (redacted)" }

// GoString keeps the token out of %#v.
func (p InfraPlane) GoString() string { return p.String() }

// Format keeps the token out of every other verb, such as %d.
func (p InfraPlane) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, p.String()) }

// MarshalText keeps the token out of JSON and structured logs.
func (p InfraPlane) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// inCluster tells the zero value. Whoever sets anything has meant another cluster.
func (p InfraPlane) inCluster() bool {
	return p.Server == "" && p.BearerToken == "" && len(p.CACert) == 0 && p.TLSServerName == "" && p.ProxyURL == "" &&
		!p.Insecure && len(p.Namespaces) == 0 && !p.ClusterResources &&
		len(p.Labels) == 0 && len(p.Annotations) == 0 && p.Finalizer == ""
}

// credentials is the whole intent of the Secret.
func (p InfraPlane) credentials(name, namespace string, owner *metav1ac.OwnerReferenceApplyConfiguration) (*corev1ac.SecretApplyConfiguration, error) {
	data, err := argocd.Cluster{
		Server: p.Server, Namespaces: p.Namespaces, ClusterResources: p.ClusterResources,
		Config: argocd.ClusterConfig{
			BearerToken: p.BearerToken, ProxyURL: p.ProxyURL,
			TLSClientConfig: argocd.TLSClientConfig{Insecure: p.Insecure, ServerName: p.TLSServerName, CAData: p.CACert},
		},
	}.Data()
	if err != nil {
		return nil, fmt.Errorf("encode credentials: %w", err)
	}
	secret := corev1ac.Secret(v1alpha1.CredentialsSecretName(name), namespace).
		WithLabels(p.Labels).WithAnnotations(p.Annotations).
		WithType(corev1.SecretTypeOpaque).WithData(data)
	if p.Finalizer != "" {
		secret.WithFinalizers(p.Finalizer)
	}
	if owner != nil {
		secret.WithOwnerReferences(owner)
	}
	return secret, nil
}

func (p InfraPlane) plane(name, namespace string, owner *metav1ac.OwnerReferenceApplyConfiguration) *v1alpha1ac.CCLInfraPlaneApplyConfiguration {
	spec := v1alpha1ac.CCLInfraPlaneSpec()
	if !p.inCluster() {
		spec.WithClusterCredentialsRef(v1alpha1ac.LocalObjectReference().WithName(v1alpha1.CredentialsSecretName(name)))
	}
	plane := v1alpha1ac.CCLInfraPlane(name, namespace).WithSpec(spec)
	if owner != nil {
		plane.WithOwnerReferences(owner)
	}
	return plane
}

// Applied tells what ApplyInfraPlane had to write.
type Applied struct {
	Plane       *v1alpha1.CCLInfraPlane
	WroteSecret bool
	WrotePlane  bool
}

// ApplyInfraPlane applies `<name>-credentials` and the CCLInfraPlane that points at
// it, and returns the plane as the server made it. Applying the same thing again
// writes nothing; applying another token replaces the token in place.
//
// The error satisfies errors.Is(err, ErrManagedByRegistration) if a registration
// keeps the plane, and is a *NotControlledError where WithController was given and
// the objects are somebody else's.
func (c *Client) ApplyInfraPlane(ctx context.Context, name string, plane InfraPlane) (*v1alpha1.CCLInfraPlane, error) {
	applied, err := c.EnsureInfraPlane(ctx, name, plane)
	return applied.Plane, err
}

// EnsureInfraPlane is ApplyInfraPlane that also tells what was written.
func (c *Client) EnsureInfraPlane(ctx context.Context, name string, plane InfraPlane) (Applied, error) {
	var done Applied
	applier, err := NewApplier(c.kube, c.manager)
	if err != nil {
		return done, err
	}
	owner, err := c.ownerRef()
	if err != nil {
		return done, err
	}
	// Both are looked at before either is written: a plane that belongs to
	// somebody else must not get our credential.
	live := &v1alpha1.CCLInfraPlane{}
	planeFound, err := c.read(ctx, v1alpha1.CCLInfraPlaneKind, c.key(name), live)
	if err != nil {
		return done, err
	}
	if !plane.inCluster() {
		secret := &corev1.Secret{}
		found, err := c.read(ctx, "Secret", c.key(v1alpha1.CredentialsSecretName(name)), secret)
		if err != nil {
			return done, err
		}
		intent, err := plane.credentials(name, c.namespace, owner)
		if err != nil {
			return done, err
		}
		done.WroteSecret, err = c.ensure(ctx, applier, "Secret", found, secret, intent)
		if err != nil {
			return done, err
		}
	}
	done.WrotePlane, err = c.ensure(ctx, applier, v1alpha1.CCLInfraPlaneKind, planeFound, live, plane.plane(name, c.namespace, owner))
	if err != nil {
		return done, err
	}
	done.Plane = live
	return done, nil
}

// ensure applies an intent over what read has found, into live.
func (c *Client) ensure(ctx context.Context, applier apply.Applier, kind string, found bool, live client.Object, intent runtime.ApplyConfiguration) (bool, error) {
	if found || c.owner == nil {
		var over client.Object
		if found {
			over = live
		}
		return applier.Ensure(ctx, over, intent, live)
	}
	err := applier.Create(ctx, intent, live)
	if foreign, ok := errors.AsType[*apply.ErrForeign](err); ok {
		return false, &NotControlledError{Kind: kind, Namespace: foreign.Namespace, Name: foreign.Name}
	}
	return err == nil, err
}

// read reads an object and refuses one that this client must not write.
func (c *Client) read(ctx context.Context, kind string, key client.ObjectKey, live client.Object) (bool, error) {
	err := c.kube.Get(ctx, key, live)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s %s: %w", kind, key, err)
	}
	controller := metav1.GetControllerOf(live)
	if c.owner == nil {
		if controller != nil && controller.Kind == v1alpha1.ClusterRegistrationKind {
			return true, fmt.Errorf("%s %s: %w", kind, key, ErrManagedByRegistration)
		}
		return true, nil
	}
	if controller != nil && controller.UID == c.owner.GetUID() {
		return true, nil
	}
	return true, &NotControlledError{
		Kind: kind, Namespace: key.Namespace, Name: key.Name,
		Former: controller != nil && controller.Kind == v1alpha1.ClusterRegistrationKind && controller.Name == c.owner.GetName(),
	}
}

func (c *Client) ownerRef() (*metav1ac.OwnerReferenceApplyConfiguration, error) {
	if c.owner == nil {
		return nil, nil //nolint:nilnil // no owner is a valid choice
	}
	return apply.OwnerRef(c.owner, c.kube.Scheme())
}

// GetInfraPlane reads a CCLInfraPlane. The error satisfies apierrors.IsNotFound if
// there is none.
func (c *Client) GetInfraPlane(ctx context.Context, name string) (*v1alpha1.CCLInfraPlane, error) {
	plane := &v1alpha1.CCLInfraPlane{}
	if err := c.kube.Get(ctx, c.key(name), plane); err != nil {
		return nil, fmt.Errorf("read CCLInfraPlane %s: %w", c.key(name), err)
	}
	return plane, nil
}

// DeleteInfraPlane deletes the CCLInfraPlane, then `<name>-credentials`. Objects that
// are absent are no error. It refuses a plane that a registration keeps.
func (c *Client) DeleteInfraPlane(ctx context.Context, name string) error {
	objects := []struct {
		kind  string
		key   client.ObjectKey
		live  client.Object
		found bool
	}{
		{kind: v1alpha1.CCLInfraPlaneKind, key: c.key(name), live: &v1alpha1.CCLInfraPlane{}},
		{kind: "Secret", key: c.key(v1alpha1.CredentialsSecretName(name)), live: &corev1.Secret{}},
	}
	// Both are looked at before either is deleted: one may be a registration's.
	for i := range objects {
		o := &objects[i]
		var err error
		if o.found, err = c.read(ctx, o.kind, o.key, o.live); err != nil {
			return err
		}
	}
	for _, o := range objects {
		if !o.found {
			continue
		}
		uid := o.live.GetUID()
		if err := c.kube.Delete(ctx, o.live, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %s %s: %w", o.kind, o.key, err)
		}
	}
	return nil
}
