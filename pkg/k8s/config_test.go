// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

const secret = "Zm9vYmFyLXNlY3JldA"

// kubeconfig has the contexts one (current) and two, which has a namespace.
func kubeconfig(server, user string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: c, cluster: {server: %q}}
users:
- name: u
  user: %s
contexts:
- {name: one, context: {cluster: c, user: u}}
- {name: two, context: {cluster: c, user: u, namespace: team}}
`, server, user)
}

func file(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	NewWithT(t).Expect(os.WriteFile(path, []byte(text), mode)).To(Succeed())
	return path
}

// outside makes the test one that runs in no Pod and has no kubeconfig.
func outside(t *testing.T) {
	t.Helper()
	for _, name := range []string{"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "KUBECONFIG"} {
		t.Setenv(name, "")
	}
	home := clientcmd.RecommendedHomeFile
	clientcmd.RecommendedHomeFile = filepath.Join(t.TempDir(), "config")
	t.Cleanup(func() { clientcmd.RecommendedHomeFile = home })
}

func TestKubeconfigsAndTheirContexts(t *testing.T) {
	g := NewWithT(t)
	outside(t)
	path := file(t, "config", kubeconfig("https://h", "{token: t}"), 0o600)
	for context, namespace := range map[string]string{"": "default", "one": "default", "two": "team"} {
		config, err := k8s.FromKubeconfig(path, context)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(config.Namespace).To(Equal(namespace))
		g.Expect(config.REST.Host).To(Equal("https://h"))
		config, err = k8s.ParseKubeconfig([]byte(kubeconfig("https://h", "{token: t}")), context)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(config.Namespace).To(Equal(namespace))
	}
	_, err := k8s.FromKubeconfig(path, "three")
	g.Expect(err).To(MatchError(ContainSubstring(`context "three" does not exist`)))
	_, err = k8s.FromKubeconfig(filepath.Join(t.TempDir(), "none"), "")
	g.Expect(err).To(MatchError(os.ErrNotExist))
	_, err = k8s.ParseKubeconfig([]byte("contexts: [{name: one, context: {cluster: c, user: u}}]"), "")
	g.Expect(err).To(MatchError(ContainSubstring("no context is selected")))
	_, err = k8s.ParseKubeconfig([]byte("users: [{name: u, user: {token: "+secret), "")
	g.Expect(err).To(MatchError("k8s: parse kubeconfig: not a kubeconfig in JSON or YAML"))
}

func TestWhereKubeconfigsAreLookedFor(t *testing.T) {
	g := NewWithT(t)
	home := clientcmd.RecommendedHomeFile
	outside(t)
	_, err := k8s.LoadConfig("")
	g.Expect(err).To(MatchError(ContainSubstring("set $KUBECONFIG")))
	_, err = k8s.InCluster()
	g.Expect(err).To(MatchError(rest.ErrNotInCluster))

	g.Expect(filepath.ToSlash(home)).To(HaveSuffix("/.kube/config"))
	g.Expect(os.WriteFile(clientcmd.RecommendedHomeFile, []byte(kubeconfig("https://home", "{token: t}")), 0o600)).To(Succeed())
	config, err := k8s.LoadConfig("two")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.REST.Host).To(Equal("https://home"))
	g.Expect(config.Namespace).To(Equal("team"))

	first := file(t, "first", "current-context: two", 0o600)
	second := file(t, "second", kubeconfig("https://second", "{token: t}"), 0o600)
	t.Setenv("KUBECONFIG", first+string(os.PathListSeparator)+second)
	config, err = k8s.LoadConfig("")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.REST.Host).To(Equal("https://second"))
	g.Expect(config.Namespace).To(Equal("team"))
}

// Every kind of user, by what arrives at the server.
func TestUsersOfKubeconfigs(t *testing.T) {
	outside(t)
	var got http.Header
	// Without TLS client-go sends no credential.
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"y"}}`))
	}))
	t.Cleanup(s.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	trust := fmt.Sprintf("{server: %q, certificate-authority-data: %q}", s.URL, base64.StdEncoding.EncodeToString(authority))
	token := file(t, "token", "from-a-file\n", 0o600)
	program := file(t, "login", "#!/bin/sh\n"+
		`echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"from-a-program"}}'`+"\n", 0o700)
	for user, want := range map[string]map[string]string{
		"{token: inline}":                       {"Authorization": "Bearer inline"},
		"{tokenFile: " + token + "}":            {"Authorization": "Bearer from-a-file"},
		"{username: a, password: b}":            {"Authorization": "Basic YTpi"},
		"{token: t, as: other, as-groups: [g]}": {"Authorization": "Bearer t", "Impersonate-User": "other", "Impersonate-Group": "g"},
		"{exec: {command: " + program + ", apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}": {"Authorization": "Bearer from-a-program"},
	} {
		t.Run(user, func(t *testing.T) {
			g := NewWithT(t)
			text := strings.Replace(kubeconfig("", user), `{server: ""}`, trust, 1)
			config, err := k8s.ParseKubeconfig([]byte(text), "")
			g.Expect(err).NotTo(HaveOccurred())
			c, err := k8s.NewClient(config)
			g.Expect(err).NotTo(HaveOccurred())
			_, found, err := c.Get(t.Context(), k8s.Pods, "y")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(BeTrue())
			for name, value := range want {
				g.Expect(got.Get(name)).To(Equal(value), name)
			}
		})
	}
}

func TestAnAuthProviderHasToBeLinked(t *testing.T) {
	_, err := k8s.ParseKubeconfig([]byte(kubeconfig("https://h", "{auth-provider: {name: oidc, config: {id-token: "+secret+"}}}")), "")
	g := NewWithT(t)
	g.Expect(err).To(MatchError(And(ContainSubstring(`auth-provider "oidc"`), ContainSubstring("link k8s.io/client-go/plugin/pkg/client/auth"))))
	g.Expect(err.Error()).NotTo(ContainSubstring(secret))
}
