// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// CCLComponentSetSpec is an ordered list of charts to roll out.
type CCLComponentSetSpec struct {
	// components in rollout order, at least 1 and at most 64, with unique names. One set may
	// span several planes of its namespace.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(x, self.exists_one(y, y.name == x.name))",message="`name` must be unique among the components"
	// +required
	Components []Component `json:"components,omitempty"`
}

// Component is one chart on one plane.
type Component struct {
	// name of the component, and of its Helm release: a DNS label of at most 53 characters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=53
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",message="must be a DNS label"
	// +required
	Name string `json:"name,omitempty"`

	// infraPlaneRef names the CCLInfraPlane in the set's namespace to deploy to.
	// +required
	InfraPlaneRef LocalObjectReference `json:"infraPlaneRef,omitzero"`

	// chart of the catalog, as `group/name`.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-_a-z0-9]*[a-z0-9])?/[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`
	// +required
	Chart string `json:"chart,omitempty"`

	// namespace on the plane that the chart is installed in; created if absent.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",message="must be a DNS label"
	// +required
	Namespace string `json:"namespace,omitempty"`

	// values of the chart, at most 64 KiB of JSON. The chart's typed Values say what is allowed.
	// The API server cannot measure free-form JSON: whoever writes the object should check the
	// size, as the library's Validate does, and the manager refuses what is larger.
	// +structType=atomic
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Values *runtime.RawExtension `json:"values,omitempty"`

	// progressDeadlineSeconds is the time in seconds after which a component that has not
	// become healthy is reported as ProgressDeadlineExceeded. Default: 0, no deadline.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	// +optional
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`
}

// CCLComponentSetStatus is what was last observed.
type CCLComponentSetStatus struct {
	// conditions are: Validated, ComponentsApplied and Progressing.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of the spec that this status is about.
	// +kubebuilder:validation:Minimum=1
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// componentSyncStatuses is Argo CD's verdict on each released component.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	// +optional
	ComponentSyncStatuses []ComponentSyncStatus `json:"componentSyncStatuses,omitempty"`

	// componentHealthStatuses is the health of each released component.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	// +optional
	ComponentHealthStatuses []ComponentHealthStatus `json:"componentHealthStatuses,omitempty"`
}

// ComponentSyncStatus is Argo CD's verdict on one component.
type ComponentSyncStatus struct {
	// name of the component.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=53
	// +required
	Name string `json:"name,omitempty"`

	// applicationName is the Argo CD Application of the component.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +optional
	ApplicationName string `json:"applicationName,omitempty"`

	// sync is Argo CD's sync status: Synced, OutOfSync or Unknown.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Sync string `json:"sync,omitempty"`

	// health is Argo CD's health status.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Health string `json:"health,omitempty"`

	// comparison says which spec that verdict is about. `Current`: the one wanted now. `Stale`:
	// an older one. `Unknown`: none yet.
	// +optional
	Comparison Comparison `json:"comparison,omitempty"`

	// removal is set on a component that has left the spec. `DeletePending`: it waits for its
	// turn. `Deleting`: Argo CD is removing it.
	// +optional
	Removal Removal `json:"removal,omitempty"`
}

// ComponentHealthStatus is the health of one component.
type ComponentHealthStatus struct {
	// name of the component.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=53
	// +required
	Name string `json:"name,omitempty"`

	// health of the component.
	// +required
	Health ComponentHealth `json:"health,omitempty"`

	// reason is a CamelCase word for the health.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Reason string `json:"reason,omitempty"`

	// message says what is wrong and what to do.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`

	// lastTransitionTime is when the health last changed.
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitzero"`
}

// Comparison says which spec a verdict is about.
// +kubebuilder:validation:Enum=Current;Stale;Unknown
type Comparison string

// Values of Comparison.
const (
	ComparisonCurrent Comparison = "Current"
	ComparisonStale   Comparison = "Stale"
	ComparisonUnknown Comparison = "Unknown"
)

// Removal is how far the removal of a component is.
// +kubebuilder:validation:Enum=DeletePending;Deleting
type Removal string

// Values of Removal.
const (
	RemovalDeletePending Removal = "DeletePending"
	RemovalDeleting      Removal = "Deleting"
)

// ComponentHealth is the health of a component.
// +kubebuilder:validation:Enum=Healthy;Progressing;Degraded;Suspended;Missing;Unknown;Succeeded;Failed
type ComponentHealth string

// Values of ComponentHealth.
const (
	HealthHealthy     ComponentHealth = "Healthy"
	HealthProgressing ComponentHealth = "Progressing"
	HealthDegraded    ComponentHealth = "Degraded"
	HealthSuspended   ComponentHealth = "Suspended"
	HealthMissing     ComponentHealth = "Missing"
	HealthUnknown     ComponentHealth = "Unknown"
	HealthSucceeded   ComponentHealth = "Succeeded"
	HealthFailed      ComponentHealth = "Failed"
)

// CCLComponentSet rolls an ordered set of catalog charts onto infra planes.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,categories=ccluster
// +kubebuilder:printcolumn:name="Progress",type=string,JSONPath=`.status.conditions[?(@.type=="Progressing")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 199",message="`metadata.name` must have at most 199 characters",fieldPath=".metadata"
type CCLComponentSet struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is standard object metadata. The name must have at most 199 characters.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the wanted set.
	// +required
	Spec CCLComponentSetSpec `json:"spec,omitzero"`

	// status is what was last observed.
	// +optional
	Status CCLComponentSetStatus `json:"status,omitzero"`
}

// CCLComponentSetList is a list of CCLComponentSets.
//
// +kubebuilder:object:root=true
type CCLComponentSetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []CCLComponentSet `json:"items"`
}
