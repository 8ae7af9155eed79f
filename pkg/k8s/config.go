// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Config is where the API server is, how to authenticate to it, and the namespace to work in.
// Build it by hand, or with LoadConfig, InCluster, FromKubeconfig or ParseKubeconfig.
type Config struct {
	// REST is client-go's own configuration: the server, its CA, and a client certificate, a
	// token, a token file or any other way to authenticate. NewClient does not change it.
	REST *rest.Config
	// HTTP sends the requests in place of a client made from REST, of which only the server's
	// address is used then.
	HTTP *http.Client
	// Namespace is the one that calls work in. Default: default.
	Namespace string
}

// namespaceFile is where a Pod finds its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// LoadConfig is InCluster in a Pod; elsewhere, or if context is not empty, it is FromKubeconfig
// with that context.
func LoadConfig(context string) (Config, error) {
	if context == "" {
		config, err := InCluster()
		if !errors.Is(err, rest.ErrNotInCluster) {
			return config, err
		}
	}
	return FromKubeconfig("", context)
}

// InCluster is the ServiceAccount's configuration that Kubernetes mounts into a Pod. The token is
// read again as the kubelet rotates it. Outside of a Pod the error is rest.ErrNotInCluster.
func InCluster() (Config, error) { return inCluster(rest.InClusterConfig, namespaceFile) }

func inCluster(load func() (*rest.Config, error), namespaceFile string) (Config, error) {
	config, err := load()
	if err != nil {
		return Config{}, fmt.Errorf("k8s: load in-cluster configuration: %w", err)
	}
	namespace, err := os.ReadFile(namespaceFile) //nolint:gosec // A fixed path, but for tests.
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Config{}, fmt.Errorf("k8s: read the Pod's namespace: %w", err)
	}
	return Config{REST: config, Namespace: strings.TrimSpace(string(namespace))}, nil
}

// FromKubeconfig reads the kubeconfig at path, in the given context or, if that is empty, the
// current one. An empty path means the files of $KUBECONFIG, or ~/.kube/config. Every kind of user
// works, programs (exec) included; for an auth-provider the program must link
// k8s.io/client-go/plugin/pkg/client/auth, as with client-go.
func FromKubeconfig(path, context string) (Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.WarnIfAllMissing = false
	rules.ExplicitPath = path
	for _, file := range rules.GetLoadingPrecedence() {
		_, err := clientcmd.LoadFromFile(file)
		// The parser's own words may quote what it could not read.
		if _, unread := errors.AsType[*os.PathError](err); err != nil && !unread {
			return Config{}, fmt.Errorf("k8s: load kubeconfig: %s is not a kubeconfig in JSON or YAML", file)
		}
	}
	return fromKubeconfig(clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: context}))
}

// ParseKubeconfig is FromKubeconfig with the text of a kubeconfig. Relative paths in it are
// relative to the working directory.
func ParseKubeconfig(text []byte, context string) (Config, error) {
	parsed, err := clientcmd.Load(text)
	if err != nil {
		// The parser's own words may quote what it could not read.
		return Config{}, errors.New("k8s: parse kubeconfig: not a kubeconfig in JSON or YAML")
	}
	return fromKubeconfig(clientcmd.NewNonInteractiveClientConfig(*parsed, context, &clientcmd.ConfigOverrides{CurrentContext: context}, nil))
}

// errNoContext is what client-go takes for a wish to talk to localhost.
var errNoContext = errors.New("no context is selected: set current-context, or name one of the contexts")

func fromKubeconfig(from clientcmd.ClientConfig) (Config, error) {
	raw, err := from.RawConfig()
	if err != nil {
		return Config{}, fmt.Errorf("k8s: load kubeconfig: %w", err)
	}
	config, err := from.ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err) && len(raw.Contexts) > 0:
		err = errNoContext
	case clientcmd.IsEmptyConfig(err):
		err = fmt.Errorf("found none: set $KUBECONFIG or name a file: %w", err)
	}
	if err != nil {
		return Config{}, fmt.Errorf("k8s: load kubeconfig: %w", err)
	}
	if err := linked(config.AuthProvider); err != nil {
		return Config{}, err
	}
	namespace, _, err := from.Namespace()
	if err != nil {
		return Config{}, fmt.Errorf("k8s: load kubeconfig: %w", err)
	}
	return Config{REST: config, Namespace: namespace}, nil
}

// linked checks that the program has the auth-provider; client-go says so only at the first call.
func linked(provider *clientcmdapi.AuthProviderConfig) error {
	if provider == nil {
		return nil
	}
	if _, err := rest.GetAuthProvider("", provider, nil); err != nil {
		return fmt.Errorf("k8s: load kubeconfig: auth-provider %q: %w; link k8s.io/client-go/plugin/pkg/client/auth", provider.Name, err)
	}
	return nil
}

func (c Config) namespace() string {
	if c.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return c.Namespace
}
