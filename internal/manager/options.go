// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"time"

	"github.com/ccluster-go/ccluster-go/controllers/infraplane"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// Options are what the flags set. Start from DefaultOptions; the zero value is not valid.
type Options struct {
	// LogLevel is the verbosity: 0 changes, 1 decisions, 4 reasons.
	LogLevel int
	// LogFormat is LogJSON or LogConsole.
	LogFormat string

	// HealthProbeAddress serves /healthz and /readyz, MetricsAddress /metrics. "0": neither.
	HealthProbeAddress, MetricsAddress string
	// MetricsInsecure serves metrics over plain HTTP to everyone.
	MetricsInsecure bool

	// LeaderElect lets one of several managers work at a time.
	LeaderElect bool
	// LeaderElectNamespace has the Lease. Empty: the namespace of the manager's pod.
	LeaderElectNamespace string

	// Controllers are the names of those to run.
	Controllers []string
	// Namespaces limit what is reconciled and read. Empty: all.
	Namespaces []string
	// ControlPlaneID marks what is made on infra planes as this control plane's. Empty:
	// the UID of Namespace kube-system.
	ControlPlaneID string
	// MaxConcurrentReconciles is the number of objects each controller works on at a time.
	MaxConcurrentReconciles int

	// ArgoCDNamespace is where Argo CD runs.
	ArgoCDNamespace string
	// CatalogRepo is the repository that catalog charts come from, SourceRepos are others that
	// Applications may use.
	CatalogRepo string
	SourceRepos []string
	// DrainTimeout bounds how long a deleted plane waits for its Applications.
	DrainTimeout time.Duration

	// AllowInCluster permits registrations of this cluster, in InClusterNamespaces only
	// if any are given.
	AllowInCluster      bool
	InClusterNamespaces []string
	// AllowProxy and AllowInsecure permit what kubeconfigs may ask for.
	AllowProxy, AllowInsecure bool
	// DuplicateClusters is DuplicatesRefused or DuplicatesAllowed.
	DuplicateClusters string
	// ReadyWithoutPlane leaves the CCLInfraPlane out of a registration's Ready.
	ReadyWithoutPlane bool
	// CheckPeriod is the time between two checks of a plane.
	CheckPeriod time.Duration
	// TokenOverlap is how long a replaced token is still accepted.
	TokenOverlap time.Duration
	// ProbeImage is what a probe runs that names no image.
	ProbeImage string
	// RevokeTimeout bounds how long a deleted registration waits for its plane.
	RevokeTimeout time.Duration

	// DenyCIDRs are address ranges that are not dialled, AllowCIDRs exceptions from
	// them. An entry may be a single address.
	DenyCIDRs, AllowCIDRs []string
}

// Values of Options.LogFormat.
const (
	LogJSON    = "json"
	LogConsole = "console"
)

// Values of Options.DuplicateClusters.
const (
	DuplicatesRefused = "Refuse"
	DuplicatesAllowed = "Allow"
)

// DefaultOptions returns what the manager runs with if no flag is given.
func DefaultOptions() Options {
	return Options{
		LogFormat:               LogJSON,
		HealthProbeAddress:      ":8081",
		MetricsAddress:          ":8443",
		LeaderElect:             true,
		Controllers:             controllerNames(),
		MaxConcurrentReconciles: 16,
		DuplicateClusters:       DuplicatesRefused,
		CheckPeriod:             time.Minute,
		TokenOverlap:            5 * time.Minute,
		RevokeTimeout:           10 * time.Minute,
		ProbeImage:              ccluster.DefaultProbeImage,
		ArgoCDNamespace:         infraplane.DefaultArgoCDNamespace,
		DrainTimeout:            infraplane.DefaultDrainTimeout,
		DenyCIDRs:               defaultDeny(),
	}
}

func defaultDeny() []string {
	ranges := remote.DefaultDeny()
	texts := make([]string, len(ranges))
	for i, r := range ranges {
		texts[i] = r.String()
	}
	return texts
}
