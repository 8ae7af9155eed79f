// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"time"
)

// Options describe a plane. The zero value is a complete plane from the
// binaries in $KUBEBUILDER_ASSETS.
type Options struct {
	// Name appears in messages and file names and names the kubeconfig's
	// context. A DNS label; default "plane".
	Name string
	// Assets is the folder with the binaries. Default $KUBEBUILDER_ASSETS.
	Assets string
	// WithoutControllerManager leaves the controller manager out. Nothing then
	// makes service accounts or fills token Secrets, no namespace deletion
	// finishes and nothing is garbage collected.
	WithoutControllerManager bool
	// CRDs are files and folders of CustomResourceDefinitions, installed before
	// the controller manager starts, so that its garbage collector knows them
	// from the beginning. It learns of later ones within about 30 seconds.
	CRDs []string
	// AuditLog records every request, for Plane.Audit.
	AuditLog bool
	// ServerNames are DNS names and IP addresses the serving certificate
	// covers besides 127.0.0.1, ::1, localhost and the in-cluster names.
	ServerNames []string
	// APIServerArgs are flags of the API server, without dashes. They replace
	// the flag's default here; an empty list leaves the flag out. The port
	// cannot be set.
	APIServerArgs map[string][]string
	// ControllerManagerArgs are the same for the controller manager.
	ControllerManagerArgs map[string][]string
	// LogDir receives one log file per process and keeps it after Stop.
	// Default: the work folder, which Stop removes.
	LogDir string
	// Log also receives the processes' output, each line with the plane's and
	// the process's name. Default: nowhere.
	Log io.Writer
	// StartTimeout limits Start and each later start of a process, in addition
	// to the context. Default two minutes.
	StartTimeout time.Duration
}

const defaultStartTimeout = 2 * time.Minute

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func (o Options) withDefaults() (Options, error) {
	if o.Name == "" {
		o.Name = "plane"
	}
	if !dnsLabel.MatchString(o.Name) {
		return o, fmt.Errorf("plane name %q must be a DNS label", o.Name)
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = defaultStartTimeout
	}
	if _, ok := o.APIServerArgs["secure-port"]; ok {
		return o, fmt.Errorf("plane %s: the API server's secure-port must not be set", o.Name)
	}
	if i := slices.Index(o.ServerNames, ""); i >= 0 {
		return o, fmt.Errorf("plane %s: server name %d must not be empty", o.Name, i)
	}
	return o, nil
}

// splitNames sorts names into DNS names and IP addresses.
func splitNames(names []string) (dns []string, ips []net.IP) {
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			ips = append(ips, ip)
			continue
		}
		dns = append(dns, name)
	}
	return dns, ips
}
