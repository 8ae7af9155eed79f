// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

func TestOwnerRef(t *testing.T) {
	g := NewWithT(t)
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "reader", Namespace: "team", UID: "uid-1"}}
	ref, err := apply.OwnerRef(role, scheme.Scheme)
	g.Expect(err).NotTo(HaveOccurred())
	data, err := json.Marshal(ref)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(data).To(MatchJSON(`{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "name": "reader", "uid": "uid-1",
		"controller": true, "blockOwnerDeletion": true
	}`))
}

func TestOwnerRefErrors(t *testing.T) {
	var nothing *corev1.Secret
	for name, test := range map[string]struct {
		owner client.Object
		want  string
	}{
		"nil":     {nothing, "build owner reference: owner must not be nil"},
		"no UID":  {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, `build owner reference: Secret "s" must have a name and a uid`},
		"no name": {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{UID: "u"}}, `build owner reference: Secret "" must have a name and a uid`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := apply.OwnerRef(test.owner, scheme.Scheme)
			NewWithT(t).Expect(err).To(MatchError(test.want))
		})
	}
	_, err := apply.OwnerRef(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s", UID: "u"}}, runtime.NewScheme())
	NewWithT(t).Expect(runtime.IsNotRegisteredError(err)).To(BeFalse(), "wrapped")
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("build owner reference: ")))
}
