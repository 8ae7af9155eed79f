// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestFallbackReads(t *testing.T) {
	secret := func(value string, terminating bool) *corev1.Secret {
		s := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "s", Labels: map[string]string{value: "yes"}},
			Data:       map[string][]byte{value: []byte(value)},
		}
		if terminating {
			at := metav1.NewTime(now)
			s.DeletionTimestamp, s.Finalizers = &at, []string{"example.com/keep"}
		}
		return s
	}
	for name, test := range map[string]struct {
		cached, live *corev1.Secret
		cacheError   error
		liveError    error
		// want is the value read; empty if there is none.
		want string
		err  func(error) bool
		// asked tells that the live API server was asked.
		asked bool
	}{
		"in the cache":             {cached: secret("cached", false), live: secret("live", false), want: "cached"},
		"in the cache alone":       {cached: secret("cached", false), want: "cached"},
		"not in the cache":         {live: secret("live", false), want: "live", asked: true},
		"nowhere":                  {err: apierrors.IsNotFound, asked: true},
		"terminating in the cache": {cached: secret("cached", true), live: secret("live", false), want: "live", asked: true},
		"terminating, and gone":    {cached: secret("cached", true), err: apierrors.IsNotFound, asked: true},
		"terminating in both":      {cached: secret("cached", true), live: secret("live", true), want: "live", asked: true},
		"a broken cache":           {cacheError: down(), live: secret("live", false), err: apierrors.IsInternalError},
		"not in the cache, down":   {liveError: down(), err: apierrors.IsInternalError, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			asked := false
			reader := func(s *corev1.Secret, fail error, note *bool) client.WithWatch {
				var objects []client.Object
				if s != nil {
					objects = append(objects, s)
				}
				return interceptor.NewClient(newServer(t, objects...), interceptor.Funcs{
					Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
						if note != nil {
							*note = true
						}
						if fail != nil {
							return fail
						}
						return merge(ctx, c, key, obj, opts...)
					},
				})
			}
			c := fallbackClient{Client: reader(test.cached, test.cacheError, nil), live: reader(test.live, test.liveError, &asked)}
			got := &corev1.Secret{}
			err := c.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "s"}, got)
			g.Expect(asked).To(Equal(test.asked))
			if test.err != nil {
				g.Expect(err).To(Satisfy(test.err))
				g.Expect(got.Data).To(BeEmpty(), "nothing of what the cache had")
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got.Data).To(HaveLen(1))
			g.Expect(got.Data).To(HaveKey(test.want))
			g.Expect(got.Labels).To(HaveLen(1), "nothing of what the cache had")
		})
	}
}

// merge reads as a client does that is not a cache: what the answer lacks stays in obj.
func merge(ctx context.Context, c client.Client, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	answer, _ := obj.DeepCopyObject().(client.Object)
	if err := c.Get(ctx, key, answer, opts...); err != nil {
		return err
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, obj)
}

func TestFallbackReadsOtherKinds(t *testing.T) {
	g := NewWithT(t)
	at := metav1.NewTime(now)
	plane := func(uid types.UID) *v1alpha1.CCLInfraPlane {
		return &v1alpha1.CCLInfraPlane{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", UID: uid}}
	}
	terminating := plane("uid-former")
	terminating.DeletionTimestamp, terminating.Finalizers = &at, []string{"example.com/keep"}
	key := client.ObjectKeyFromObject(terminating)

	c := fallbackClient{Client: newServer(t, terminating), live: newServer(t)}
	err := c.Get(t.Context(), key, &v1alpha1.CCLInfraPlane{})
	g.Expect(apierrors.IsNotFound(err)).To(BeTrue())

	c.live = interceptor.NewClient(newServer(t, plane("uid-new")), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			return merge(ctx, c, key, obj, opts...)
		},
	})
	got := &v1alpha1.CCLInfraPlane{}
	g.Expect(c.Get(t.Context(), key, got)).To(Succeed())
	g.Expect(got.UID).To(BeEquivalentTo("uid-new"))
	g.Expect(got.DeletionTimestamp).To(BeNil(), "the former one's")
	g.Expect(got.Finalizers).To(BeEmpty())
}
