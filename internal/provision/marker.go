// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"crypto/sha256"
	"encoding/hex"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// Marker says whose an object on an infra plane is.
type Marker struct {
	// ControlPlaneID identifies the control plane.
	ControlPlaneID string
	// Registration is the namespace and name of the ClusterRegistration there.
	Registration types.NamespacedName
}

// Hash is the value of the marker label: the same for all objects of one
// registration, and different for any two registrations.
func (m Marker) Hash() string {
	// A namespace and a name hold no slash, so no two inputs read the same.
	sum := sha256.Sum256([]byte(m.ControlPlaneID + "/" + m.Registration.String()))
	return hex.EncodeToString(sum[:20])
}

// Labels are what objects are found by.
func (m Marker) Labels() map[string]string {
	return map[string]string{ccluster.MarkerLabel: m.Hash()}
}

// Annotations are what ownership is decided by, and the label where they have been lost.
func (m Marker) Annotations() map[string]string {
	return map[string]string{
		ccluster.ControlPlaneAnnotation: m.ControlPlaneID,
		ccluster.RegistrationAnnotation: m.Registration.String(),
	}
}

// ownership of an object under a name that is needed.
type ownership int

const (
	ours ownership = iota
	// unmarked: nobody's marker is on it.
	unmarked
	// neighbours: another registration of this control plane has it.
	neighbours
	// foreign: another control plane has it.
	foreign
)

func (m Marker) judge(obj metav1.Object) ownership {
	a := obj.GetAnnotations()
	plane, registration := a[ccluster.ControlPlaneAnnotation], a[ccluster.RegistrationAnnotation]
	switch {
	case plane == m.ControlPlaneID && registration == m.Registration.String():
		return ours
	case obj.GetLabels()[ccluster.MarkerLabel] == m.Hash() &&
		(plane == "" || plane == m.ControlPlaneID) && (registration == "" || registration == m.Registration.String()):
		// The hash says the same as the annotations that somebody has removed.
		return ours
	case plane == m.ControlPlaneID && registration != "":
		return neighbours
	case plane == "" && registration == "" && obj.GetLabels()[ccluster.MarkerLabel] == "":
		return unmarked
	default:
		return foreign
	}
}

// Owns tells whether the object carries this marker.
func (m Marker) Owns(obj metav1.Object) bool { return m.judge(obj) == ours }
