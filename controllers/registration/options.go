// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"slices"
	"time"

	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// Owner is the field manager of this controller's writes.
const Owner = "ccluster-go-registration"

// Options are decided by whoever runs the manager.
type Options struct {
	// ControlPlaneID tells this control plane's objects on a plane from another's.
	ControlPlaneID string
	// AllowInCluster permits `inCluster`, in InClusterNamespaces only if any are given.
	AllowInCluster      bool
	InClusterNamespaces []string
	// AllowProxy and AllowInsecure permit what kubeconfigs may ask for.
	AllowProxy, AllowInsecure bool
	// AllowDuplicateClusters lets registrations share a cluster, each with a server
	// address and ServiceAccount of its own.
	AllowDuplicateClusters bool
	// ReadyWithoutPlane leaves PlaneAvailable out of Ready.
	ReadyWithoutPlane bool
	// CheckPeriod is the time between two checks of one plane. Default: 60 s.
	CheckPeriod time.Duration
	// TokenOverlap is how long a replaced token is still accepted. Default: 5 min.
	TokenOverlap time.Duration
	// RevokeTimeout bounds how long a deleted registration waits for its plane.
	// Default: 10 min.
	RevokeTimeout time.Duration
	// ProbeImage is what a probe runs that names no image. Default:
	// ccluster.DefaultProbeImage.
	ProbeImage string
	// MaxConcurrentReconciles is the number of registrations worked on at a time.
	// Default: 16.
	MaxConcurrentReconciles int
}

// auditEvery is the number of checks of which one is an audit.
const auditEvery = 10

func (o Options) withDefaults() (Options, error) {
	if o.ControlPlaneID == "" {
		return o, errors.New("registration options: ControlPlaneID must be set")
	}
	if o.CheckPeriod < 0 || o.TokenOverlap < 0 || o.RevokeTimeout < 0 || o.MaxConcurrentReconciles < 0 {
		return o, errors.New("registration options: CheckPeriod, TokenOverlap, RevokeTimeout and MaxConcurrentReconciles must not be negative")
	}
	if o.CheckPeriod == 0 {
		o.CheckPeriod = time.Minute
	}
	if o.TokenOverlap == 0 {
		o.TokenOverlap = 5 * time.Minute
	}
	if o.RevokeTimeout == 0 {
		o.RevokeTimeout = 10 * time.Minute
	}
	if o.ProbeImage == "" {
		o.ProbeImage = ccluster.DefaultProbeImage
	}
	if o.MaxConcurrentReconciles == 0 {
		o.MaxConcurrentReconciles = 16
	}
	return o, nil
}

func (o Options) inClusterAllowed(namespace string) bool {
	return o.AllowInCluster && (len(o.InClusterNamespaces) == 0 || slices.Contains(o.InClusterNamespaces, namespace))
}
