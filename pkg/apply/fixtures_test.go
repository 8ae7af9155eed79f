// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"context"
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

const owner = "test-owner"

func converter() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(scheme.Scheme)
}

// recorder is a fake API server client that notes every apply request.
type recorder struct {
	client.Client

	applies []request
	// fail, if set, answers an apply request instead of the server.
	fail func(ctx context.Context, n int) error
}

type request struct {
	subresource string
	body        unstructured.Unstructured // as it was when sent
	options     client.ApplyOptions
}

func (r *recorder) note(ctx context.Context, subresource string, intent runtime.ApplyConfiguration, options client.ApplyOptions) error {
	data, err := json.Marshal(intent)
	if err != nil {
		return err
	}
	sent := request{subresource: subresource, options: options}
	if err := sent.body.UnmarshalJSON(data); err != nil {
		return err
	}
	r.applies = append(r.applies, sent)
	if r.fail != nil {
		return r.fail(ctx, len(r.applies))
	}
	return nil
}

func newRecorder(objects ...client.Object) *recorder {
	r := &recorder{}
	r.Client = interceptor.NewClient(
		fake.NewClientBuilder().
			WithScheme(scheme.Scheme).
			WithTypeConverters(converter()).
			WithReturnManagedFields().
			WithStatusSubresource(&corev1.Namespace{}).
			WithObjects(objects...).
			Build(),
		interceptor.Funcs{
			Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
				options := client.ApplyOptions{}
				options.ApplyOptions(opts)
				if err := r.note(ctx, "", obj, options); err != nil {
					return err
				}
				return c.Apply(ctx, obj, opts...)
			},
			SubResourceApply: func(ctx context.Context, c client.Client, sub string, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
				options := client.SubResourceApplyOptions{}
				options.ApplyOpts(opts)
				if err := r.note(ctx, sub, obj, options.ApplyOptions); err != nil {
					return err
				}
				return c.SubResource(sub).Apply(ctx, obj, opts...)
			},
		})
	return r
}

func newApplier(t *testing.T, c client.Client, name string) apply.Applier {
	t.Helper()
	a, err := apply.New(c, converter(), name)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return a
}

func configMap(data map[string]string) *corev1ac.ConfigMapApplyConfiguration {
	return corev1ac.ConfigMap("settings", "team").WithData(data)
}

func readConfigMap(t *testing.T, c client.Client) *corev1.ConfigMap {
	t.Helper()
	cm := &corev1.ConfigMap{}
	NewWithT(t).Expect(c.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "settings"}, cm)).To(Succeed())
	return cm
}

// foreignConfigMap is a ConfigMap under the name of configMap that another
// client has created.
func foreignConfigMap(t *testing.T, c client.Client, data map[string]string) *corev1.ConfigMap {
	t.Helper()
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "settings", UID: "uid-foreign"},
		Data:       data,
	}
	NewWithT(t).Expect(c.Create(t.Context(), cm, client.FieldOwner("kubectl-create"))).To(Succeed())
	return cm
}
