// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Probe is a Job of one Pod that is run on the infra plane with the registered account, once for
// each change of its fields or of the server, and again after a failure. It is removed at its end.
// Its Pod has no API token and meets the restricted Pod Security Standard.
type Probe struct {
	// namespace of the infra plane that the Job is run in. It must exist, and the registered
	// account must be allowed to manage Jobs and to read Pods and their logs there. Default:
	// default.
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",message="must be a DNS label"
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// image of the container. It must run as a user other than root. Default: the manager's
	// --probe-image.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[-a-zA-Z0-9._:/@]+$`
	// +optional
	Image string `json:"image,omitempty"`

	// command of the container, with its arguments; the probe succeeds if it exits with 0. At
	// most 32 items. Default: the image's own, or without `image` one that prints a line.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=0
	// +kubebuilder:validation:items:MaxLength=1024
	// +optional
	Command []string `json:"command,omitempty"`

	// imagePullSecretRef names a Secret in `namespace` of the infra plane that the image is
	// pulled with. Default: those of that namespace's default ServiceAccount.
	// +optional
	ImagePullSecretRef LocalObjectReference `json:"imagePullSecretRef,omitzero"`

	// timeoutSeconds bounds how long a run takes, in seconds. Between 10 and 3600. Default: 120.
	// +kubebuilder:default=120
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=3600
	// +optional
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`
}

// ProbeStatus is about a probe that has ended.
type ProbeStatus struct {
	// inputs is a digest of `spec.probe` and the server that the probe was of.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +required
	Inputs string `json:"inputs,omitempty"`

	// completedAt is when it ended.
	// +optional
	CompletedAt metav1.Time `json:"completedAt,omitzero"`
}
