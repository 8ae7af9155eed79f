// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func kubeSystem(uid types.UID) client.Client {
	return fake.NewClientBuilder().WithObjects(&corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, UID: uid},
	}).Build()
}

func TestIdentifyTakesTheUID(t *testing.T) {
	g := NewWithT(t)
	id, err := identify(t.Context(), kubeSystem("0b6a2c1e-9d41-4c36-8a52-3f8f0f3f9a01"), "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(id).To(Equal("0b6a2c1e-9d41-4c36-8a52-3f8f0f3f9a01"))
}

func TestIdentifyPrefersWhatIsGivenAndReadsNothing(t *testing.T) {
	g := NewWithT(t)
	fails := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return errors.New("must not be called")
		},
	})
	id, err := identify(t.Context(), fails, "cp-1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(id).To(Equal("cp-1"))
}

func TestIdentifySaysWhatToDo(t *testing.T) {
	g := NewWithT(t)
	_, err := identify(t.Context(), fake.NewClientBuilder().Build(), "")
	g.Expect(err).To(MatchError(ContainSubstring("--control-plane-id")))
	_, err = identify(t.Context(), kubeSystem("Not A Label"), "")
	g.Expect(err).To(MatchError("the UID of Namespace kube-system is not a DNS label: set --control-plane-id"))
}
