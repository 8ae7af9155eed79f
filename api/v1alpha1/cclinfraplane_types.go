// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CCLInfraPlaneSpec says where the credential of an infra plane is.
type CCLInfraPlaneSpec struct {
	// clusterCredentialsRef names a Secret in the same namespace in Argo CD's cluster shape:
	// `server`, `config` and optionally `name`. Absent: the operator's own cluster.
	// +optional
	ClusterCredentialsRef LocalObjectReference `json:"clusterCredentialsRef,omitzero"`
}

// CCLInfraPlaneStatus is what was last observed.
type CCLInfraPlaneStatus struct {
	// conditions are: Available.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of the spec that this status is about.
	// +kubebuilder:validation:Minimum=1
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// server is the address in the credentials, in canonical form.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Server string `json:"server,omitempty"`

	// argoCDSecretName is the cluster Secret in Argo CD's namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +optional
	ArgoCDSecretName string `json:"argoCDSecretName,omitempty"`
}

// CCLInfraPlane is a cluster that component sets can be rolled out to.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories=ccluster
// +kubebuilder:printcolumn:name="Server",type=string,JSONPath=`.status.server`
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type CCLInfraPlane struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the wanted plane.
	// +optional
	Spec CCLInfraPlaneSpec `json:"spec,omitzero"`

	// status is what was last observed.
	// +optional
	Status CCLInfraPlaneStatus `json:"status,omitzero"`
}

// CCLInfraPlaneList is a list of CCLInfraPlanes.
//
// +kubebuilder:object:root=true
type CCLInfraPlaneList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []CCLInfraPlane `json:"items"`
}
