// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// Keys of the data of a cluster Secret.
const (
	KeyName             = "name"
	KeyServer           = "server"
	KeyConfig           = "config"
	KeyNamespaces       = "namespaces"
	KeyClusterResources = "clusterResources"
	KeyProject          = "project"
)

// Cluster is what a cluster Secret says. It holds a token: it is never logged.
type Cluster struct {
	Name    string
	Server  string
	Project string
	Config  ClusterConfig
	// Namespaces limit what is managed; empty means all.
	Namespaces []string
	// ClusterResources counts only where Namespaces are given.
	ClusterResources bool
}

// ClusterConfig is the part of Argo CD's connection settings that is used. It has
// no field by which a program would be started or Argo CD's own identity lent.
type ClusterConfig struct {
	BearerToken     string          `json:"bearerToken,omitempty"`
	TLSClientConfig TLSClientConfig `json:"tlsClientConfig"`
	ProxyURL        string          `json:"proxyUrl,omitempty"`
}

// TLSClientConfig is how the server's certificate is checked.
type TLSClientConfig struct {
	Insecure   bool   `json:"insecure"`
	ServerName string `json:"serverName,omitempty"`
	CAData     []byte `json:"caData,omitempty"`
}

// String keeps the token out of formatted output.
func (Cluster) String() string { return "cluster (redacted)" }

// GoString keeps the token out of %#v.
func (c Cluster) GoString() string { return c.String() }

// Format keeps the token out of every other verb, such as %d.
func (c Cluster) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, c.String()) }

// MarshalText keeps the token out of JSON and structured logs.
func (c Cluster) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// String keeps the token out of formatted output.
func (ClusterConfig) String() string { return "cluster config (redacted)" }

// GoString keeps the token out of %#v.
func (c ClusterConfig) GoString() string { return c.String() }

// Format keeps the token out of every other verb, such as %d.
func (c ClusterConfig) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, c.String()) }

// MarshalText keeps the token out of JSON and structured logs; see wireConfig.
func (c ClusterConfig) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// wireConfig is a ClusterConfig that does encode.
type wireConfig ClusterConfig

// Errors of Check. None of them shows content.
var (
	ErrNoServer       = errors.New("`server` must be an https URL")
	ErrInCluster      = errors.New("`server` must not be the in-cluster address: leave the credentials out for the operator's own cluster")
	ErrNoToken        = errors.New("`config.bearerToken` must be set")
	ErrCA             = errors.New("`config.tlsClientConfig.caData` must be PEM certificates")
	ErrInsecureWithCA = errors.New("`config.tlsClientConfig.insecure` must not be set together with `caData`")
	ErrConfig         = errors.New("`config` must be a JSON object of bearerToken, tlsClientConfig and proxyUrl")
	ErrProxy          = errors.New("`config.proxyUrl` must be an http, https or socks5 URL without user information")
)

// Check tells what is wrong with a cluster before it reaches Argo CD, where one bad
// cluster Secret stops the handling of all.
func (c Cluster) Check() error {
	server, err := kubeconfig.CanonicalServer(c.Server)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	if kubeconfig.InClusterServer(server) {
		return ErrInCluster
	}
	if c.Config.BearerToken == "" {
		return ErrNoToken
	}
	tls := c.Config.TLSClientConfig
	if len(tls.CAData) > 0 {
		if tls.Insecure {
			return ErrInsecureWithCA
		}
		if _, err := kubeconfig.CanonicalCA(tls.CAData); err != nil {
			return ErrCA
		}
	}
	if c.Config.ProxyURL != "" {
		if _, err := kubeconfig.CanonicalProxy(c.Config.ProxyURL); err != nil {
			return ErrProxy
		}
	}
	return nil
}

// Data encodes a cluster as the data of its Secret. The same cluster gives the same
// bytes: Argo CD drops what it has cached of a cluster when they change.
func (c Cluster) Data() (map[string][]byte, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	config, err := json.Marshal(wireConfig(c.Config)) //nolint:gosec // the one place where the token is to be written
	if err != nil {
		return nil, ErrConfig
	}
	data := map[string][]byte{KeyServer: []byte(c.Server), KeyConfig: config}
	if c.Name != "" {
		data[KeyName] = []byte(c.Name)
	}
	if c.Project != "" {
		data[KeyProject] = []byte(c.Project)
	}
	if len(c.Namespaces) > 0 {
		data[KeyNamespaces] = []byte(strings.Join(slices.Sorted(slices.Values(c.Namespaces)), ","))
		data[KeyClusterResources] = []byte(strconv.FormatBool(c.ClusterResources))
	}
	return data, nil
}

// ParseCluster decodes the data of a cluster Secret and checks it. Fields that are
// not on the list of ClusterConfig are an error.
func ParseCluster(data map[string][]byte) (Cluster, error) {
	c := Cluster{
		Name: string(data[KeyName]), Server: string(data[KeyServer]), Project: string(data[KeyProject]),
		ClusterResources: string(data[KeyClusterResources]) == "true",
	}
	if list := string(data[KeyNamespaces]); list != "" {
		c.Namespaces = strings.Split(list, ",")
	}
	decoder := json.NewDecoder(bytes.NewReader(data[KeyConfig]))
	decoder.DisallowUnknownFields()
	// The decoder's own error may quote what it read.
	if decoder.Decode((*wireConfig)(&c.Config)) != nil {
		return Cluster{}, ErrConfig
	}
	// More would take a stray brace for the end.
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Cluster{}, ErrConfig
	}
	if err := c.Check(); err != nil {
		return Cluster{}, err
	}
	return c, nil
}
