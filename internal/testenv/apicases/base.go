// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// object is the head of an object of a kind.
func object(kind, name string) Object {
	return Object{
		"apiVersion": v1alpha1.SchemeGroupVersion.String(),
		"kind":       kind,
		"metadata":   Object{"name": name},
	}
}

// registration has what is required, and nothing else.
func registration() subject {
	s := subject{kind: v1alpha1.ClusterRegistrationKind, request: Create}
	s.base = object(s.kind, "edge-1")
	return s.but(set("spec.bootstrap.kubeconfigSecretRef.name", "edge-1-kubeconfig"))
}

// inClusterRegistration has what is required, and nothing else.
func inClusterRegistration() subject {
	return registration().but(unset("spec.bootstrap"), set("spec.inCluster", Object{}))
}

// infraPlane has what is required, and nothing else.
func infraPlane() subject {
	s := subject{kind: v1alpha1.CCLInfraPlaneKind, request: Create}
	s.base = object(s.kind, "edge-1")
	return s
}

// componentSet has what is required, and nothing else.
func componentSet() subject {
	s := subject{kind: v1alpha1.CCLComponentSetKind, request: Create}
	s.base = object(s.kind, "local-base")
	return s.but(set("spec.components", []any{component("keda")}))
}

func component(name string) Object {
	return Object{
		"name":          name,
		"infraPlaneRef": Object{"name": "edge-1"},
		"chart":         "cluster_base/keda",
		"namespace":     "keda",
	}
}

// withStatus turns the subject to updates of its status.
func (s subject) withStatus(status Object) subject {
	s.request = UpdateStatus
	return s.but(set("status", status))
}
