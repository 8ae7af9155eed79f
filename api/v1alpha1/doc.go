// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the ccluster.nvidia.com/v1alpha1 API: ClusterRegistration,
// CCLInfraPlane and CCLComponentSet, and the names of their conditions and reasons.
//
// It is data only and imports nothing but apimachinery, so that any client can use it.
//
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +groupName=ccluster.nvidia.com
package v1alpha1
