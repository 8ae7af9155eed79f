// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/api/v1alpha1/applyconfiguration"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// canary stands for a token; nothing that is written for people may show it.
const canary = "zQ7t0k9-W9xV4Jq"

var (
	now    = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	regKey = types.NamespacedName{Namespace: "team", Name: "edge-1"}
)

// newReg is a registration as the API server would have it.
func newReg() *v1alpha1.ClusterRegistration {
	reg := &v1alpha1.ClusterRegistration{ObjectMeta: metav1.ObjectMeta{
		Namespace: regKey.Namespace, Name: regKey.Name, UID: "uid-reg", Generation: 3, ResourceVersion: "100",
	}}
	reg.Spec.Bootstrap.KubeconfigSecretRef.Name = "edge-1-kubeconfig"
	return reg
}

// newServer is a fake API server of a control plane.
func newServer(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		NewWithT(t).Expect(add(scheme)).To(Succeed())
	}
	value := func(of func(client.Object) string) client.IndexerFunc {
		return func(o client.Object) []string { return []string{of(o)} }
	}
	return fake.NewClientBuilder().WithScheme(scheme).
		WithTypeConverters(applyconfiguration.NewTypeConverter(scheme), applyconfigurations.NewTypeConverter(scheme)).
		WithReturnManagedFields().
		WithStatusSubresource(&v1alpha1.ClusterRegistration{}, &v1alpha1.CCLInfraPlane{}).
		WithIndex(&v1alpha1.ClusterRegistration{}, serverIndex, value(func(o client.Object) string {
			reg, _ := o.(*v1alpha1.ClusterRegistration)
			return reg.Status.Server
		})).
		WithIndex(&v1alpha1.CCLInfraPlane{}, serverIndex, value(func(o client.Object) string {
			plane, _ := o.(*v1alpha1.CCLInfraPlane)
			return plane.Status.Server
		})).
		WithIndex(&v1alpha1.ClusterRegistration{}, bootstrapIndex, value(bootstrapName)).
		WithObjects(objects...).Build()
}

func newPool(t *testing.T) *remote.Pool {
	t.Helper()
	pool, err := remote.NewPool(remote.Policy{})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(pool.Close)
	return pool
}

// newReconciler is one whose clock stands still and whose random number is 0.5.
func newReconciler(t *testing.T, server client.WithWatch) *Reconciler {
	t.Helper()
	r, err := New(Dependencies{
		Client: server, Live: server, Pool: newPool(t), Recorder: events.NewFakeRecorder(100),
		Clock: testclock.NewFakePassiveClock(now), Random: func() float64 { return 0.5 },
	}, Options{ControlPlaneID: "plane-a"})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return r
}

// newScope is one pass over a registration.
func newScope(t *testing.T, reg *v1alpha1.ClusterRegistration) (*Reconciler, *scope) {
	t.Helper()
	r := newReconciler(t, newServer(t))
	return r, r.newScope(reg, regKey)
}

// issued is a scope in which everything has been done.
func issued(t *testing.T) (*Reconciler, *scope) {
	t.Helper()
	r, s := newScope(t, newReg())
	s.endpoint = kubeconfig.Endpoint{Server: "https://edge-1.example:6443", TLSServerName: "edge-1.internal", Insecure: true, ProxyURL: "http://proxy.example:3128"}
	s.token = provision.Token{Value: canary, SecretName: "ccluster-manager-token", Account: "uid-account", IssuedAt: now.Add(-time.Hour)}
	return r, s
}

func failure(kind remote.Kind) error {
	return &remote.Error{Op: "get things", Failure: remote.Failure{Kind: kind}}
}

func forbidden() error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "", errors.New("denied"))
}

func down() error { return apierrors.NewInternalError(errors.New("down")) }
