// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// LocalObjectReference names an object of a known kind in the same namespace.
type LocalObjectReference struct {
	// name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",message="must be a DNS subdomain"
	// +required
	Name string `json:"name,omitempty"`
}
