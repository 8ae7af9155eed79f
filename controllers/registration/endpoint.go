// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"bytes"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// resolveEndpoint puts what the spec says over what the kubeconfig says. It returns a
// *kubeconfig.Rejection, whose message names the field, or a *problem.
func resolveEndpoint(base kubeconfig.Endpoint, spec *v1alpha1.Endpoint, options Options) (kubeconfig.Endpoint, error) {
	ep := base
	ep.CAData = bytes.Clone(base.CAData)
	if spec != nil {
		if spec.Server != "" {
			server, err := kubeconfig.CanonicalServer(spec.Server)
			if err != nil {
				return ep, inSpec("spec.endpoint.server", err)
			}
			ep.Server = server
		}
		if len(spec.CABundle) > 0 {
			ca, err := kubeconfig.CanonicalCA(spec.CABundle)
			if err != nil {
				return ep, inSpec("spec.endpoint.caBundle", err)
			}
			ep.CAData, ep.Insecure = ca, false
		}
		if spec.TLSServerName != nil && *spec.TLSServerName != "" {
			name, err := kubeconfig.CanonicalServerName(*spec.TLSServerName)
			if err != nil {
				return ep, inSpec("spec.endpoint.tlsServerName", err)
			}
			ep.TLSServerName = name
		}
		if spec.ProxyURL != nil && *spec.ProxyURL != "" {
			proxy, err := kubeconfig.CanonicalProxy(*spec.ProxyURL)
			if err != nil {
				return ep, inSpec("spec.endpoint.proxyURL", err)
			}
			if !options.AllowProxy {
				return ep, &problem{
					reason:  v1alpha1.ReasonReferenceNotPermitted,
					message: "`spec.endpoint.proxyURL` needs the manager's --allow-proxy: remove it or ask who runs the manager",
				}
			}
			ep.ProxyURL = proxy
		}
	}
	if kubeconfig.InClusterServer(ep.Server) {
		return ep, &problem{
			reason:  v1alpha1.ReasonReferenceNotPermitted,
			message: "The in-cluster address must not be registered with a credential: use `spec.inCluster`",
		}
	}
	return ep, nil
}

// inSpec says which field of the spec a rejection is about.
func inSpec(field string, err error) error {
	return &problem{reason: v1alpha1.ReasonInvalidSpec, message: "`" + field + "`: " + err.Error()}
}
