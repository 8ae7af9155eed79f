// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

// Errors by which Parse reports that something else than running was asked for.
var (
	ErrHelp    = errors.New("help requested")
	ErrVersion = errors.New("version requested")
)

// Parse reads and checks the command line, without the program's name. Its error names
// each flag that is wrong and what to do.
func Parse(args []string) (Options, error) {
	o := DefaultOptions()
	version := false
	fs := o.flagSet(&version)
	switch err := fs.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return o, ErrHelp
	case err != nil:
		return o, fmt.Errorf("%w; --help lists the flags and their values", err)
	case version:
		return o, ErrVersion
	case fs.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q: every setting is a flag, and --help lists them", fs.Arg(0))
	}
	if err := checkEmpty(fs); err != nil {
		return o, err
	}
	return o, o.Validate()
}

// Usage is the text of --help.
func Usage() string {
	o := DefaultOptions()
	return "Runs the controllers of ccluster-go.\n\n" +
		"The control plane is the one that the program runs in, or else that of $KUBECONFIG or ~/.kube/config.\n\n" +
		"Usage:\n  manager [flags]\n\nFlags:\n" + o.flagSet(new(bool)).FlagUsagesWrapped(usageWidth)
}

const usageWidth = 110

// flagSet binds the options to flags, with their present values as the defaults.
func (o *Options) flagSet(version *bool) *pflag.FlagSet {
	fs := pflag.NewFlagSet("manager", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.SortFlags = false

	fs.StringSliceVar(&o.Controllers, "controllers", o.Controllers, "`names` of the controllers to run")
	fs.StringSliceVar(&o.Namespaces, "namespace", o.Namespaces, "`namespace` to work in and to read; repeatable (default: all)")
	fs.StringVar(&o.ControlPlaneID, "control-plane-id", o.ControlPlaneID,
		"`id` that marks objects on infra planes as this control plane's, a DNS label (default: the UID of Namespace kube-system)")
	fs.IntVar(&o.MaxConcurrentReconciles, "max-concurrent-reconciles", o.MaxConcurrentReconciles, "objects that each controller works on at a time")

	fs.DurationVar(&o.CheckPeriod, "check-period", o.CheckPeriod, "time between two checks of an infra plane")
	fs.DurationVar(&o.TokenOverlap, "token-overlap", o.TokenOverlap, "how long a replaced token is still accepted")
	fs.DurationVar(&o.RevokeTimeout, "revoke-timeout", o.RevokeTimeout, "how long a deleted registration waits for an infra plane that cannot be cleaned up")
	fs.StringVar(&o.ProbeImage, "probe-image", o.ProbeImage, "`image` that probes run which name none; it must have the command echo")
	fs.BoolVar(&o.ReadyWithoutPlane, "ready-without-plane", o.ReadyWithoutPlane, "registrations are Ready without an Available CCLInfraPlane: for a cluster where nothing reports on those")
	fs.StringVar(&o.DuplicateClusters, "duplicate-clusters", o.DuplicateClusters, "whether registrations may share a cluster: `Refuse|Allow`")

	fs.StringVar(&o.ArgoCDNamespace, "argocd-namespace", o.ArgoCDNamespace, "`namespace` that Argo CD runs in")
	fs.StringVar(&o.CatalogRepo, "catalog-repo", o.CatalogRepo, "`url` of the repository that catalog charts come from (default: none)")
	fs.StringSliceVar(&o.SourceRepos, "source-repo", o.SourceRepos, "`url` of a further repository that Applications on infra planes may use; repeatable")
	fs.DurationVar(&o.DrainTimeout, "drain-timeout", o.DrainTimeout, "how long a deleted CCLInfraPlane waits for the Applications that deploy to it")

	fs.BoolVar(&o.AllowInCluster, "allow-in-cluster", o.AllowInCluster, "permit registrations of the control plane's own cluster")
	fs.StringSliceVar(&o.InClusterNamespaces, "in-cluster-namespace", o.InClusterNamespaces,
		"`namespace` where --allow-in-cluster holds; repeatable (default: all)")
	fs.BoolVar(&o.AllowProxy, "allow-proxy", o.AllowProxy, "permit proxies in kubeconfigs; a proxy resolves names itself, so the address ranges below do not bind it")
	fs.BoolVar(&o.AllowInsecure, "allow-insecure", o.AllowInsecure, "permit kubeconfigs that turn certificate verification off")
	fs.StringSliceVar(&o.DenyCIDRs, "deny-cidr", o.DenyCIDRs, "address `range` that no infra plane may be in; repeatable, replaces the defaults")
	fs.StringSliceVar(&o.AllowCIDRs, "allow-cidr", o.AllowCIDRs, "address `range` that is an exception from --deny-cidr; repeatable")

	fs.StringVar(&o.HealthProbeAddress, "health-probe-address", o.HealthProbeAddress, "`address` of /healthz and /readyz; 0 turns them off")
	fs.StringVar(&o.MetricsAddress, "metrics-address", o.MetricsAddress, "`address` of /metrics, over HTTPS for whom the control plane authorizes; 0 turns it off")
	fs.BoolVar(&o.MetricsInsecure, "metrics-insecure", o.MetricsInsecure, "serve metrics over HTTP to everyone, for use on one's own machine")
	fs.BoolVar(&o.LeaderElect, "leader-elect", o.LeaderElect, "let one of several managers work at a time")
	fs.StringVar(&o.LeaderElectNamespace, "leader-elect-namespace", o.LeaderElectNamespace, "`namespace` of the Lease (default: the pod's own)")

	fs.IntVar(&o.LogLevel, "log-level", o.LogLevel, fmt.Sprintf("verbosity, 0 to %d: 0 changes, 1 decisions, 4 reasons", maxLogLevel))
	fs.StringVar(&o.LogFormat, "log-format", o.LogFormat, "format of the log: `json|console`")
	fs.BoolVar(version, "version", false, "print the version and exit")
	return fs
}

// checkEmpty refuses lists that were given and are empty: each would stand for all there is,
// which an empty variable in a manifest hardly means.
func checkEmpty(fs *pflag.FlagSet) error {
	var errs []error
	fs.Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok && len(list.GetSlice()) == 0 {
			errs = append(errs, fmt.Errorf("--%s must not be empty: leave it out for the default", f.Name))
		}
	})
	return errors.Join(errs...)
}
