// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ccluster-go/ccluster-go/controllers/infraplane"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// maxLogLevel is where client libraries begin to log headers and bodies, which hold
// credentials.
const maxLogLevel = 5

// imageName is what the API takes for `spec.probe.image`.
var imageName = regexp.MustCompile(`^[-a-zA-Z0-9._:/@]{1,512}$`)

// Validate returns everything that is wrong with the options, by flag.
func (o *Options) Validate() error {
	var errs []error
	wrong := func(flag, format string, args ...any) {
		errs = append(errs, fmt.Errorf("--%s "+format, append([]any{flag}, args...)...))
	}
	if o.LogLevel < 0 || o.LogLevel > maxLogLevel {
		wrong("log-level", "must be from 0 to %d, not %d: above that, credentials would be logged", maxLogLevel, o.LogLevel)
	}
	oneOf := func(flag, value string, values ...string) {
		if !slices.Contains(values, value) {
			wrong(flag, "must be %s, not %q", strings.Join(values, " or "), value)
		}
	}
	oneOf("log-format", o.LogFormat, LogJSON, LogConsole)
	oneOf("duplicate-clusters", o.DuplicateClusters, DuplicatesRefused, DuplicatesAllowed)

	for _, a := range []struct{ flag, value string }{
		{"health-probe-address", o.HealthProbeAddress}, {"metrics-address", o.MetricsAddress},
	} {
		if !listenAddress(a.value) {
			wrong(a.flag, "must be host:port, :port or 0, not %q", a.value)
		}
	}
	if !imageName.MatchString(o.ProbeImage) {
		wrong("probe-image", "must be the name of an image, such as %s, not %q", ccluster.DefaultProbeImage, o.ProbeImage)
	}
	if o.LeaderElectNamespace != "" && !dnsLabel(o.LeaderElectNamespace) {
		wrong("leader-elect-namespace", "must be the name of a namespace, not %q", o.LeaderElectNamespace)
	}
	if _, err := o.selected(); err != nil {
		errs = append(errs, err)
	}
	for _, n := range o.Namespaces {
		if !dnsLabel(n) {
			wrong("namespace", "must be the name of a namespace, not %q", n)
		}
	}
	if o.ControlPlaneID != "" && !dnsLabel(o.ControlPlaneID) {
		wrong("control-plane-id", "must be a DNS label (lower case letters, digits and dashes, at most 63), not %q", o.ControlPlaneID)
	}
	if o.MaxConcurrentReconciles < 1 {
		wrong("max-concurrent-reconciles", "must be at least 1, not %d", o.MaxConcurrentReconciles)
	}
	if o.CheckPeriod <= 0 {
		wrong("check-period", "must be positive, not %s", o.CheckPeriod)
	}
	if o.TokenOverlap <= 0 {
		wrong("token-overlap", "must be positive, not %s", o.TokenOverlap)
	}
	if o.RevokeTimeout <= 0 {
		wrong("revoke-timeout", "must be positive, not %s", o.RevokeTimeout)
	}
	if o.DrainTimeout <= 0 {
		wrong("drain-timeout", "must be positive, not %s", o.DrainTimeout)
	}
	if !dnsLabel(o.ArgoCDNamespace) {
		wrong("argocd-namespace", "must be the name of a namespace, not %q", o.ArgoCDNamespace)
	}
	if o.CatalogRepo != "" && infraplane.IsPattern(o.CatalogRepo) {
		wrong("catalog-repo", "must be a URL without any of *?[]{}!, which Argo CD takes for patterns")
	}
	for _, repo := range o.SourceRepos {
		if infraplane.IsPattern(repo) {
			wrong("source-repo", "must be a URL without any of *?[]{}!, which Argo CD takes for patterns")
		}
	}
	errs = append(errs, o.validateInCluster()...)
	if len(o.DenyCIDRs) == 0 {
		wrong("deny-cidr", "must have a range: to dial every address, add --allow-cidr 0.0.0.0/0,::/0")
	}
	for _, c := range []struct {
		flag   string
		ranges []string
	}{{"deny-cidr", o.DenyCIDRs}, {"allow-cidr", o.AllowCIDRs}} {
		if _, err := remote.ParseCIDRs(c.ranges); err != nil {
			wrong(c.flag, "must be an address or a range such as 10.0.0.0/8: %w", err)
		}
	}
	return errors.Join(errs...)
}

func (o *Options) validateInCluster() []error {
	if len(o.InClusterNamespaces) > 0 && !o.AllowInCluster {
		return []error{errors.New("--in-cluster-namespace has no effect alone: add --allow-in-cluster")}
	}
	var errs []error
	for _, n := range o.InClusterNamespaces {
		switch {
		case !dnsLabel(n):
			errs = append(errs, fmt.Errorf("--in-cluster-namespace must be the name of a namespace, not %q", n))
		case len(o.Namespaces) > 0 && !slices.Contains(o.Namespaces, n):
			errs = append(errs, fmt.Errorf("--in-cluster-namespace %s is not among those of --namespace: add it there, or leave it out here", n))
		}
	}
	return errs
}

func dnsLabel(text string) bool { return len(validation.IsDNS1123Label(text)) == 0 }

// listenAddress tells what net.Listen takes, or the 0 that turns a server off.
func listenAddress(text string) bool {
	if text == "0" {
		return true
	}
	_, port, err := net.SplitHostPort(text)
	return err == nil && port != ""
}
