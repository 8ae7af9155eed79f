// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// namespaceTerminating is what an API server says to a creation in a namespace that goes.
func namespaceTerminating() error {
	err := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "x", nil)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause, Field: "metadata.namespace"}}
	return err
}

func TestTheLastCredentialStaysWhereItCannotBeReplaced(t *testing.T) {
	for name, test := range map[string]struct {
		trial error
		want  remote.Kind
	}{
		"namespace that stays": {nil, remote.None},
		"namespace that goes":  {namespaceTerminating(), remote.NamespaceTerminating},
		// Releasing it makes the room that is missing.
		"quota that is used up": {forbidden(), remote.None},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var trials int
			server := interceptor.NewClient(newServer(t), interceptor.Funcs{
				Create: func(_ context.Context, _ client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
					g.Expect((&client.CreateOptions{}).ApplyOptions(opts).DryRun).To(Equal([]string{metav1.DryRunAll}))
					g.Expect(obj.GetNamespace()).To(Equal("team"))
					trials++
					return test.trial
				},
			})
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "edge-1-credentials"}}
			err := newReconciler(t, server).replaceable(t.Context(), secret)
			g.Expect(remote.Classify(err).Kind).To(Equal(test.want))
			g.Expect(trials).To(Equal(1))
		})
	}
}

func TestWhoHasNoCredentialToCleanUpWithIsLookedAtAgain(t *testing.T) {
	g := NewWithT(t)
	reg := newReg()
	reg.DeletionTimestamp = &metav1.Time{Time: now.Add(-time.Minute)}
	reg.Status.RemoteObjects = []v1alpha1.RemoteObject{{Kind: "ServiceAccount", Name: "a"}}
	r, s := newScope(t, reg)
	r.options.CheckPeriod, r.options.RevokeTimeout = 30*time.Second, 80*time.Second
	p := onPlane(r.revoke(t.Context(), s))
	g.Expect(p.reason).To(Equal(v1alpha1.ReasonBootstrapRequired))
	g.Expect(p.after).To(Equal(20*time.Second), "the deadline, which comes before the next check")

	r.options.RevokeTimeout = time.Hour
	g.Expect(onPlane(r.revoke(t.Context(), s)).after).To(Equal(30 * time.Second))
}
