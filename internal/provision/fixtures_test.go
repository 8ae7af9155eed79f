// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

const (
	testOwner   = "test-owner"
	testAccount = types.UID("uid-account")
	firstToken  = "ccluster-manager-token"
)

var (
	ourMarker       = Marker{ControlPlaneID: "plane-a", Registration: types.NamespacedName{Namespace: "team", Name: "edge-1"}}
	neighbourMarker = Marker{ControlPlaneID: "plane-a", Registration: types.NamespacedName{Namespace: "team", Name: "edge-2"}}
	foreignMarker   = Marker{ControlPlaneID: "plane-b", Registration: types.NamespacedName{Namespace: "team", Name: "edge-1"}}

	tokenExpiry = metav1.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
)

// wantedOf is what a spec with the given access wants, for ourMarker.
func wantedOf(access *ccluster.Access) Wanted {
	return WantedFor(ourMarker, &ccluster.ClusterRegistrationSpec{Access: access}, false)
}

// request is one apply as it was sent.
type request struct {
	manager string
	force   bool
	body    unstructured.Unstructured
}

// fakePlane is a fake API server that notes its calls. What the fake client lacks and
// this package builds on is here: objects get a UID, a UID that is sent must be the
// live one, and a token request needs its account and its anchor.
type fakePlane struct {
	client.Client

	// server is what is behind it, for what is not to be noted.
	server client.WithWatch

	calls    []string
	applied  []request
	requests []authenticationv1.TokenRequestSpec
	// answer, if set, may answer a call such as "list Secret kube-system" instead of the server.
	answer func(call string) error
	// after, if set, is called when a call was done.
	after func(call string)
	// token is what a token request gets.
	token string
	made  int
}

// planeScheme is small, since the fake client goes through all of it at every write.
var planeScheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, rbacv1.AddToScheme, authenticationv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
})

func newFakePlane(objects ...client.Object) *fakePlane {
	p := &fakePlane{token: "issued-token"}
	p.server = fake.NewClientBuilder().WithScheme(planeScheme()).WithTypeConverters(converter()).
		WithReturnManagedFields().WithObjects(objects...).WithObjects(builtIn("view"), builtIn("edit")).Build()
	p.Client = interceptor.NewClient(p.server,
		interceptor.Funcs{Get: p.get, List: p.list, Apply: p.apply, Delete: p.delete, SubResourceCreate: p.subresource})
	return p
}

// builtIn is a role that every cluster has.
func builtIn(name string) *rbacv1.ClusterRole {
	return &rbacv1.ClusterRole{ObjectMeta: named("", name)}
}

// writes are the calls that change something.
func (p *fakePlane) writes() []string {
	return slices.DeleteFunc(slices.Clone(p.calls), func(call string) bool {
		return strings.HasPrefix(call, "get ") || strings.HasPrefix(call, "list ")
	})
}

func (p *fakePlane) forget() { p.calls, p.applied = nil, nil }

// do notes a call, and makes it unless it is answered otherwise.
func (p *fakePlane) do(call string, run func() error) error {
	p.calls = append(p.calls, call)
	if p.answer != nil {
		if err := p.answer(call); err != nil {
			return err
		}
	}
	if err := run(); err != nil {
		return err
	}
	if p.after != nil {
		p.after(call)
	}
	return nil
}

func callOf(verb, kind string, key client.ObjectKey) string {
	return strings.Replace(fmt.Sprintf("%s %s %s", verb, kind, key), " /", " ", 1)
}

func (p *fakePlane) kindOf(obj runtime.Object) string {
	gvk, err := p.GroupVersionKindFor(obj)
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(gvk.Kind, "List")
}

func (p *fakePlane) get(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return p.do(callOf("get", p.kindOf(obj), key), func() error { return c.Get(ctx, key, obj, opts...) })
}

func (p *fakePlane) list(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
	options := client.ListOptions{}
	options.ApplyOptions(opts)
	call := strings.TrimSpace("list " + p.kindOf(list) + " " + options.Namespace)
	return p.do(call, func() error { return c.List(ctx, list, opts...) })
}

func (p *fakePlane) apply(ctx context.Context, c client.WithWatch, intent runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	options := client.ApplyOptions{}
	options.ApplyOptions(opts)
	data, err := json.Marshal(intent)
	if err != nil {
		return err
	}
	sent := request{manager: options.FieldManager, force: options.Force != nil && *options.Force}
	if err := sent.body.UnmarshalJSON(data); err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(&sent.body)
	return p.do(callOf("apply", sent.body.GetKind(), key), func() error {
		p.applied = append(p.applied, sent)
		if err := p.matches(ctx, c, &sent.body, sent.body.GetUID()); err != nil {
			return err
		}
		if err := c.Apply(ctx, intent, opts...); err != nil {
			return err
		}
		return p.identify(ctx, c, sent.body.GroupVersionKind(), key, intent)
	})
}

// identify gives a new object its UID, and the answer with it.
func (p *fakePlane) identify(ctx context.Context, c client.WithWatch, gvk schema.GroupVersionKind, key client.ObjectKey, answer any) error {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(gvk)
	if err := c.Get(ctx, key, live); err != nil || live.GetUID() != "" {
		return err
	}
	p.made++
	live.SetUID(types.UID(fmt.Sprintf("uid-%d", p.made)))
	if err := c.Update(ctx, live); err != nil {
		return err
	}
	data, err := live.MarshalJSON()
	if err != nil {
		return err
	}
	return json.Unmarshal(data, answer)
}

// matches refuses a UID that is not the live object's.
func (p *fakePlane) matches(ctx context.Context, c client.WithWatch, obj client.Object, uid types.UID) error {
	if uid == "" {
		return nil
	}
	kind := p.kindOf(obj)
	live := &unstructured.Unstructured{}
	gvk, err := p.GroupVersionKindFor(obj)
	if err != nil {
		return err
	}
	live.SetGroupVersionKind(gvk)
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), live); err != nil {
		return err
	}
	if live.GetUID() != uid {
		return apierrors.NewConflict(schema.GroupResource{Resource: strings.ToLower(kind)}, obj.GetName(), errors.New("uid mismatch"))
	}
	return nil
}

func (p *fakePlane) delete(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
	options := client.DeleteOptions{}
	options.ApplyOptions(opts)
	return p.do(callOf("delete", p.kindOf(obj), client.ObjectKeyFromObject(obj)), func() error {
		if options.Preconditions == nil || options.Preconditions.UID == nil || *options.Preconditions.UID == "" {
			return errors.New("delete without the UID of what was read")
		}
		if err := p.matches(ctx, c, obj, *options.Preconditions.UID); err != nil {
			return err
		}
		return c.Delete(ctx, obj, opts...)
	})
}

func (p *fakePlane) subresource(ctx context.Context, c client.Client, name string, obj, sub client.Object, _ ...client.SubResourceCreateOption) error {
	review, ok := sub.(*authenticationv1.TokenRequest)
	if !ok || name != "token" {
		return fmt.Errorf("create of %s is not faked", name)
	}
	return p.do(callOf("request token of", p.kindOf(obj), client.ObjectKeyFromObject(obj)), func() error {
		p.requests = append(p.requests, review.Spec)
		account, anchor := &corev1.ServiceAccount{}, &corev1.Secret{}
		ref := review.Spec.BoundObjectRef
		if err := c.Get(ctx, client.ObjectKeyFromObject(obj), account); err != nil {
			return err
		}
		if err := c.Get(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: ref.Name}, anchor); err != nil {
			return err
		}
		if ref.Kind != "Secret" || ref.APIVersion != "v1" || ref.UID != anchor.UID || ref.UID == "" {
			return apierrors.NewConflict(corev1.Resource("secrets"), ref.Name, errors.New("uid mismatch"))
		}
		review.Status = authenticationv1.TokenRequestStatus{Token: p.token, ExpirationTimestamp: tokenExpiry}
		return nil
	})
}

// find reads an object past the notes, and tells whether there is one.
func (p *fakePlane) find(t *testing.T, obj client.Object, namespace, name string) bool {
	t.Helper()
	err := p.server.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, obj)
	NewWithT(t).Expect(client.IgnoreNotFound(err)).To(Succeed())
	return err == nil
}

// secrets are the names of all Secrets there.
func (p *fakePlane) secrets(t *testing.T) []string {
	t.Helper()
	list := &corev1.SecretList{}
	NewWithT(t).Expect(p.server.List(t.Context(), list)).To(Succeed())
	names := make([]string, 0, len(list.Items))
	for _, s := range list.Items {
		names = append(names, s.Name)
	}
	return names
}

func newPlane(t *testing.T, p *fakePlane, wanted Wanted) *Plane {
	t.Helper()
	plane, err := New(p, testOwner, wanted)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return plane
}

// marked puts a marker on an object, and a UID made from its name.
func marked[T client.Object](m Marker, obj T) T {
	labels, annotations := obj.GetLabels(), obj.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	maps.Copy(labels, m.Labels())
	maps.Copy(annotations, m.Annotations())
	obj.SetLabels(labels)
	obj.SetAnnotations(annotations)
	return identified(obj)
}

func identified[T client.Object](obj T) T {
	if obj.GetUID() == "" {
		obj.SetUID(types.UID("uid-of-" + obj.GetName()))
	}
	return obj
}

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// tokenSecret is a Secret as the token controller leaves it. An empty token is one that
// it has not come to yet.
func tokenSecret(name, token string, account types.UID) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: named("kube-system", name), Type: corev1.SecretTypeServiceAccountToken}
	s.Annotations = map[string]string{corev1.ServiceAccountNameKey: DefaultAccountName}
	if token != "" {
		s.Annotations[corev1.ServiceAccountUIDKey] = string(account)
		s.Data = map[string][]byte{corev1.ServiceAccountTokenKey: []byte(token)}
	}
	return s
}

func anchorSecret(name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: named("kube-system", name), Type: corev1.SecretTypeOpaque}
}

func account(name string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: named("kube-system", name)}
}

func forbidden(resource string) error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("denied"))
}

func kindOf(o ccluster.RemoteObject) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)
}

// everything lists all objects on a plane.
func everything(t *testing.T, p *fakePlane) []client.Object {
	t.Helper()
	g := NewWithT(t)
	var all []client.Object
	for _, list := range []client.ObjectList{
		&corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceAccountList{}, &rbacv1.RoleList{},
		&rbacv1.RoleBindingList{}, &rbacv1.ClusterRoleList{}, &rbacv1.ClusterRoleBindingList{},
	} {
		g.Expect(p.server.List(t.Context(), list)).To(Succeed())
		g.Expect(meta.EachListItem(list, func(o runtime.Object) error {
			obj, _ := o.(client.Object)
			all = append(all, obj)
			return nil
		})).To(Succeed())
	}
	return all
}

// collectGarbage does what the garbage collector and the token controller do.
func collectGarbage(t *testing.T, p *fakePlane) {
	t.Helper()
	g := NewWithT(t)
	for {
		uids, accounts := map[types.UID]bool{}, map[string]bool{}
		for _, obj := range everything(t, p) {
			uids[obj.GetUID()] = true
			if p.kindOf(obj) == "ServiceAccount" {
				accounts[obj.GetNamespace()+"/"+obj.GetName()] = true
			}
		}
		collected := 0
		for _, obj := range everything(t, p) {
			of := obj.GetAnnotations()[corev1.ServiceAccountNameKey]
			orphan := of != "" && !accounts[obj.GetNamespace()+"/"+of]
			for _, ref := range obj.GetOwnerReferences() {
				orphan = orphan || !uids[ref.UID]
			}
			if orphan {
				g.Expect(p.server.Delete(t.Context(), obj)).To(Succeed())
				collected++
			}
		}
		if collected == 0 {
			return
		}
	}
}
