// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// indexes is a field indexer that keeps what it is given.
type indexes struct {
	of   map[string]client.IndexerFunc
	fail error
}

func (i *indexes) IndexField(_ context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	if i.of == nil {
		i.of = map[string]client.IndexerFunc{}
	}
	kind := "plane "
	if _, ok := obj.(*v1alpha1.ClusterRegistration); ok {
		kind = "registration "
	}
	i.of[kind+field] = extract
	return i.fail
}

func TestIndex(t *testing.T) {
	g := NewWithT(t)
	made := &indexes{}
	g.Expect(Index(t.Context(), made)).To(Succeed())
	g.Expect(made.of).To(HaveLen(3))
	reg := newReg()
	g.Expect(made.of["registration spec.bootstrap.kubeconfigSecretRef.name"](reg)).To(Equal([]string{"edge-1-kubeconfig"}))
	g.Expect(made.of["registration status.server"](reg)).To(BeEmpty())
	reg.Status.Server = edgeServer
	g.Expect(made.of["registration status.server"](reg)).To(Equal([]string{edgeServer}))
	reg.Spec.Bootstrap = v1alpha1.Bootstrap{}
	g.Expect(made.of["registration spec.bootstrap.kubeconfigSecretRef.name"](reg)).To(BeEmpty())
	g.Expect(made.of["plane status.server"](planeWith("a", "b", edgeServer))).To(Equal([]string{edgeServer}))
	g.Expect(made.of["plane status.server"](planeWith("a", "b", ""))).To(BeEmpty())

	g.Expect(Index(t.Context(), &indexes{fail: errors.New("twice")})).To(MatchError("index spec.bootstrap.kubeconfigSecretRef.name: twice"))
	g.Expect(bootstrapName(&v1alpha1.CCLInfraPlane{})).To(BeEmpty())
}

func TestABootstrapSecretWakesItsRegistrations(t *testing.T) {
	g := NewWithT(t)
	reg := func(namespace, name, secret string) *v1alpha1.ClusterRegistration {
		r := otherReg(namespace, name, "", 0)
		r.UID = types.UID(namespace + name)
		r.Spec.Bootstrap.KubeconfigSecretRef.Name = secret
		return r
	}
	r := newReconciler(t, newServer(t, reg("team", "a", "kc"), reg("team", "b", "kc"), reg("team", "c", "other"), reg("elsewhere", "a", "kc")))
	for _, key := range []types.NamespacedName{{Namespace: "team", Name: "a"}, {Namespace: "team", Name: "c"}} {
		r.memory.of(key, types.UID(key.Namespace+key.Name)).failures = 5
	}
	secret := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "kc"}}
	g.Expect(r.registrationsOf(t.Context(), secret)).To(ConsistOf(
		reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "a"}},
		reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "b"}},
	))
	g.Expect(r.memory.of(types.NamespacedName{Namespace: "team", Name: "a"}, "teama").failures).To(BeZero())
	g.Expect(r.memory.of(types.NamespacedName{Namespace: "team", Name: "c"}, "teamc").failures).To(Equal(5))

	r.client = interceptor.NewClient(newServer(t), interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return down() },
	})
	g.Expect(r.registrationsOf(t.Context(), secret)).To(BeEmpty())
}

func TestEditedFinalizersAreSeen(t *testing.T) {
	g := NewWithT(t)
	with, without := newReg(), newReg()
	with.Finalizers = []string{v1alpha1.RegistrationFinalizer}
	g.Expect(finalizersChanged.Update(event.UpdateEvent{ObjectOld: with, ObjectNew: without})).To(BeTrue())
	g.Expect(finalizersChanged.Update(event.UpdateEvent{ObjectOld: without, ObjectNew: with})).To(BeTrue())
	g.Expect(finalizersChanged.Update(event.UpdateEvent{ObjectOld: with, ObjectNew: with})).To(BeFalse())
}

// No cache holds a Secret that this controller has not written.
func TestSecretCache(t *testing.T) {
	g := NewWithT(t)
	var options []cache.ByObject
	for _, o := range SecretCache() {
		options = append(options, o)
	}
	g.Expect(options).To(HaveLen(1))
	g.Expect(options[0].Label.Matches(labels.Set{"ccluster.nvidia.com/managed": "credentials"})).To(BeTrue())
	g.Expect(options[0].Label.Matches(labels.Set{"ccluster.nvidia.com/managed": "other"})).To(BeFalse())
	g.Expect(options[0].Label.Matches(labels.Set{"ccluster.nvidia.com/bootstrap": ""})).To(BeFalse())
	g.Expect(options[0].Label.Matches(labels.Set{})).To(BeFalse())
}

func TestInNamespaces(t *testing.T) {
	g := NewWithT(t)
	g.Expect(InNamespaces(nil)).To(BeNil(), "all")
	g.Expect(InNamespaces([]string{"a", "b"})).To(Equal(map[string]cache.Config{"a": {}, "b": {}}))
}
