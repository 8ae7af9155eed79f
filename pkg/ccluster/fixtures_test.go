// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration"
)

// fakeServer is a fake API server that notes the calls made through Client. It gives
// objects a UID, which the fake client does not.
type fakeServer struct {
	client.Client

	// server is what is behind it, for what is not to be noted.
	server client.WithWatch
	// calls are writes, with their field manager, and reads.
	calls []string
	// answer, if set, may answer a call instead of the server.
	answer func(call string) error
	made   int
}

func newFakeServer(t *testing.T, objects ...client.Object) *fakeServer {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		NewWithT(t).Expect(add(scheme)).To(Succeed())
	}
	s := &fakeServer{}
	s.server = fake.NewClientBuilder().WithScheme(scheme).
		WithTypeConverters(applyconfiguration.NewTypeConverter(scheme), applyconfigurations.NewTypeConverter(scheme)).
		WithReturnManagedFields().WithStatusSubresource(&v1alpha1.CCLInfraPlane{}).WithObjects(objects...).Build()
	s.Client = interceptor.NewClient(s.server, interceptor.Funcs{Get: s.get, Apply: s.apply, Delete: s.delete})
	return s
}

func (s *fakeServer) do(call string, run func() error) error {
	s.calls = append(s.calls, call)
	if s.answer != nil {
		if err := s.answer(call); err != nil {
			return err
		}
	}
	return run()
}

// writes are the calls that change something.
func (s *fakeServer) writes() []string {
	writes := []string{}
	for _, call := range s.calls {
		if !strings.HasPrefix(call, "get ") {
			writes = append(writes, call)
		}
	}
	return writes
}

func (s *fakeServer) id(obj runtime.Object, key client.ObjectKey) string {
	gvk, err := s.GroupVersionKindFor(obj)
	if err != nil {
		panic(err)
	}
	return gvk.Kind + " " + strings.TrimPrefix(key.String(), "/")
}

func (s *fakeServer) get(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return s.do("get "+s.id(obj, key), func() error { return c.Get(ctx, key, obj, opts...) })
}

func (s *fakeServer) apply(ctx context.Context, c client.WithWatch, intent runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	options := client.ApplyOptions{}
	options.ApplyOptions(opts)
	data, err := json.Marshal(intent)
	if err != nil {
		return err
	}
	sent := &unstructured.Unstructured{}
	if err := sent.UnmarshalJSON(data); err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(sent)
	return s.do("apply "+s.id(sent, key)+" as "+options.FieldManager, func() error {
		if err := c.Apply(ctx, intent, opts...); err != nil {
			return err
		}
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(sent.GroupVersionKind())
		if err := c.Get(ctx, key, live); err != nil || live.GetUID() != "" {
			return err
		}
		s.made++
		live.SetUID(types.UID(fmt.Sprintf("uid-%d", s.made)))
		if err := c.Update(ctx, live); err != nil {
			return err
		}
		data, err := live.MarshalJSON()
		if err != nil {
			return err
		}
		return json.Unmarshal(data, intent)
	})
}

func (s *fakeServer) delete(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
	options := client.DeleteOptions{}
	options.ApplyOptions(opts)
	return s.do("delete "+s.id(obj, client.ObjectKeyFromObject(obj)), func() error {
		if options.Preconditions == nil || options.Preconditions.UID == nil || *options.Preconditions.UID != obj.GetUID() || obj.GetUID() == "" {
			return errors.New("delete without the UID of what was read")
		}
		return c.Delete(ctx, obj, opts...)
	})
}

// find reads an object past the notes, and tells whether there is one.
func (s *fakeServer) find(t *testing.T, obj client.Object, name string) bool {
	t.Helper()
	err := s.server.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: name}, obj)
	NewWithT(t).Expect(client.IgnoreNotFound(err)).To(Succeed())
	return err == nil
}
