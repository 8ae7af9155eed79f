// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

// process is a running manager.
type process struct {
	cluster *cluster
	cmd     *exec.Cmd
	log     *output
	exited  chan struct{}
	// health and metrics are host:port.
	health, metrics string
	// secrets must not be in its log.
	secrets []string
	since   int64
	// mayBeForbidden is a namespace in which requests may be refused.
	mayBeForbidden string
}

// output is a log that can be read while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// launch starts the manager with a configuration of the control plane and arguments. It is killed
// at the end of the spec, if it still runs then.
func launch(ctx context.Context, c *cluster, cfg *rest.Config, args ...string) *process {
	GinkgoHelper()
	kubeconfig, err := localplane.Kubeconfig("control", cfg)
	Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(GinkgoT().TempDir(), "kubeconfig")
	Expect(os.WriteFile(path, kubeconfig, 0o600)).To(Succeed())
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())

	p := &process{
		cluster: c, log: &output{}, exited: make(chan struct{}), secrets: []string{cfg.BearerToken},
		health: freeAddress(ctx), metrics: freeAddress(ctx),
	}
	p.since, err = c.AuditPosition()
	Expect(err).NotTo(HaveOccurred())
	args = append(args, "--health-probe-address="+p.health, "--metrics-address="+p.metrics)
	p.cmd = exec.CommandContext(context.WithoutCancel(ctx), self, args...)
	p.cmd.Env = append(os.Environ(), childVariable+"=1", "KUBECONFIG="+path, "KUBERNETES_SERVICE_HOST=")
	p.cmd.Stderr = io.MultiWriter(p.log, GinkgoWriter)
	Expect(p.cmd.Start()).To(Succeed())
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait() // the state says how it ended
	}()
	DeferCleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
	})
	return p
}

// allowLoopback lets a manager dial the planes of this machine.
const allowLoopback = "--allow-cidr=127.0.0.0/8"

// start launches a manager as whoever has the token and waits until it is ready. At the end of the
// spec it is stopped, as stop does.
func start(ctx SpecContext, c *cluster, token string, args ...string) *process {
	GinkgoHelper()
	args = append(args, "--leader-elect-namespace="+systemNamespace, "--log-level=5")
	p := launch(ctx, c, c.as(token), args...)
	DeferCleanup(p.stop)
	Eventually(func(g Gomega, ctx context.Context) {
		g.Expect(p.exited).NotTo(BeClosed(), "the manager ended")
		g.Expect(status(ctx, http.DefaultClient, "http://"+p.health+"/readyz", "")).To(Equal(http.StatusOK))
	}).WithContext(ctx).Should(Succeed())
	return p
}

// stop ends the manager as Kubernetes does, and looks at what it leaves: exit code 0, no request
// that it had no right to make, and a log of JSON lines without any credential.
func (p *process) stop(ctx SpecContext) {
	GinkgoHelper()
	select {
	case <-p.exited:
	default:
		Expect(p.cmd.Process.Signal(syscall.SIGTERM)).To(Succeed())
	}
	Eventually(p.exited).WithContext(ctx).Should(BeClosed())
	Expect(p.cmd.ProcessState.ExitCode()).To(Equal(0))
	Expect(p.forbidden()).To(BeEmpty())
	log := p.log.String()
	for line := range strings.SplitSeq(strings.TrimSpace(log), "\n") {
		Expect(json.Valid([]byte(line))).To(BeTrue(), line)
	}
	for _, secret := range p.secrets {
		Expect(secret).NotTo(BeEmpty())
		Expect(strings.Contains(log, secret)).To(BeFalse(), "a credential is in the log")
	}
}

// forbidden are the manager's requests that the control plane answered with 403 since the start. Not
// all have its user agent: the Lease's have client-go's.
func (p *process) forbidden() []string {
	GinkgoHelper()
	events, err := p.cluster.Audit(localplane.AuditFilter{
		Since: p.since,
		Where: func(e localplane.AuditEvent) bool {
			return e.Code == http.StatusForbidden && (e.Namespace == "" || e.Namespace != p.mayBeForbidden) && (strings.HasPrefix(e.UserAgent, "ccluster-go/") ||
				strings.HasPrefix(e.User, "system:serviceaccount:"+systemNamespace+":"))
		},
	})
	Expect(err).NotTo(HaveOccurred())
	requests := make([]string, len(events))
	for i, e := range events {
		requests[i] = e.User + " " + e.Verb + " " + e.RequestURI
	}
	return requests
}

// freeAddress is one of loopback that nothing listens on.
func freeAddress(ctx context.Context) string {
	GinkgoHelper()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	defer listener.Close() //nolint:errcheck // nobody has used it
	return listener.Addr().String()
}

const callTimeout = 10 * time.Second

// get fetches a URL with a bearer token, if there is one.
func get(ctx context.Context, c *http.Client, url, token string) (int, string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

// status is the status code of a URL, 0 if nothing answers.
func status(ctx context.Context, c *http.Client, url, token string) int {
	code, _, err := get(ctx, c, url, token)
	if err != nil {
		return 0
	}
	return code
}

// selfSigned is a client for the metrics server, whose certificate is made at each start.
func selfSigned() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS12,
		RootCAs:    x509.NewCertPool(),
		//nolint:gosec // nobody could know this certificate
		InsecureSkipVerify: true,
	}}}
}
