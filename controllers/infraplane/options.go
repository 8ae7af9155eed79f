// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"errors"
	"slices"
	"time"
)

// Options are decided by whoever runs the manager.
type Options struct {
	// ArgoCDNamespace is where Argo CD runs. Default: argocd.
	ArgoCDNamespace string
	// ManagerNamespace is where the manager runs; Applications must not deploy there. Optional.
	ManagerNamespace string
	// SourceRepos are the repositories that charts may come from: the catalog's, and others that
	// are allowed. Globs are refused. Empty: none.
	SourceRepos []string
	// AllowInCluster permits planes of the operator's own cluster, in InClusterNamespaces only if
	// any are given.
	AllowInCluster      bool
	InClusterNamespaces []string
	// CheckPeriod is the time between two checks of one plane. Default: 60 s.
	CheckPeriod time.Duration
	// DrainTimeout bounds how long a deleted plane waits for Applications. Default: 30 min.
	DrainTimeout time.Duration
	// MaxConcurrentReconciles is the number of planes worked on at a time. Default: 16.
	MaxConcurrentReconciles int
}

// Defaults of Options.
const (
	DefaultArgoCDNamespace = "argocd"
	DefaultDrainTimeout    = 30 * time.Minute
)

func (o Options) withDefaults() (Options, error) {
	if o.CheckPeriod < 0 || o.DrainTimeout < 0 || o.MaxConcurrentReconciles < 0 {
		return o, errors.New("infraplane options: CheckPeriod, DrainTimeout and MaxConcurrentReconciles must not be negative")
	}
	if slices.ContainsFunc(o.SourceRepos, IsPattern) {
		return o, errors.New("infraplane options: SourceRepos must not hold patterns")
	}
	if o.ArgoCDNamespace == "" {
		o.ArgoCDNamespace = DefaultArgoCDNamespace
	}
	if o.CheckPeriod == 0 {
		o.CheckPeriod = time.Minute
	}
	if o.DrainTimeout == 0 {
		o.DrainTimeout = DefaultDrainTimeout
	}
	if o.MaxConcurrentReconciles == 0 {
		o.MaxConcurrentReconciles = 16
	}
	return o, nil
}

// IsPattern tells repositories that Argo CD would not take literally.
func IsPattern(repo string) bool {
	for _, c := range repo {
		switch c {
		case '*', '?', '[', ']', '{', '}', '!', '\\':
			return true
		}
	}
	return repo == ""
}

func (o Options) inClusterAllowed(namespace string) bool {
	return o.AllowInCluster && (len(o.InClusterNamespaces) == 0 || slices.Contains(o.InClusterNamespaces, namespace))
}
