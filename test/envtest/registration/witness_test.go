// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/controllers/registration"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
)

// logs is everything that is logged during the suite, at the manager's highest level.
var logs = &witnessed{}

// witnessed is text that must hold no secret.
type witnessed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps what is written.
func (w *witnessed) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *witnessed) len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Len()
}

func (w *witnessed) since(position int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text.Bytes()[position:])
}

// witness sees what one spec makes the product say, and knows the spec's secrets.
type witness struct {
	began   int
	said    witnessed
	metrics []*registration.Metrics
	mu      sync.Mutex
	secrets map[string]struct{}
}

func newWitness() *witness { return &witness{began: logs.len(), secrets: map[string]struct{}{}} }

func (w *witness) hear(format string, args ...any) { _, _ = fmt.Fprintf(&w.said, format+"\n", args...) }

// secretField is a line of a kubeconfig that holds a secret.
var secretField = regexp.MustCompile(`(?m)^\s*-?\s*"?(token|password|client-key-data)"?:\s*"?([^\s"]+)"?\s*$`)

// knowFile remembers the secrets of a kubeconfig, and all of it.
func (w *witness) knowFile(file []byte) {
	for _, match := range secretField.FindAllSubmatch(file, -1) {
		w.know(string(match[2]))
		if key, err := base64.StdEncoding.DecodeString(string(match[2])); err == nil {
			for line := range strings.Lines(string(key)) {
				if !strings.HasPrefix(line, "-----") {
					w.know(strings.TrimSpace(line))
				}
			}
		}
	}
	w.know(string(file))
}

// shortest is less than any secret here, and more than any word of a message.
const shortest = 16

// know remembers a secret, and parts of it that would do.
func (w *witness) know(secret string) {
	if len(secret) < shortest {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret))} {
		w.secrets[strings.TrimRight(form, "=")] = struct{}{}
	}
	if parts := strings.Split(secret, "."); len(parts) == 3 && len(parts[2]) >= shortest {
		w.secrets[parts[1]], w.secrets[parts[2]] = struct{}{}, struct{}{}
	}
}

// leaks are the secrets that something has told.
func (w *witness) leaks() []string {
	told := logs.since(w.began) + w.said.since(0) + w.gathered()
	w.mu.Lock()
	defer w.mu.Unlock()
	var leaked []string
	for secret := range w.secrets {
		if at := strings.Index(told, secret); at >= 0 {
			leaked = append(leaked, fmt.Sprintf("%.8s… in …%s", secret, told[max(0, at-200):at]))
		}
	}
	slices.Sort(leaked)
	return leaked
}

// gathered is what all metrics of the spec's reconcilers tell.
func (w *witness) gathered() string {
	var text strings.Builder
	for _, m := range w.metrics {
		registry := prometheus.NewRegistry()
		if registry.Register(m) != nil {
			continue
		}
		families, err := registry.Gather()
		if err != nil {
			text.WriteString(err.Error())
		}
		for _, family := range families {
			text.WriteString(family.String())
		}
	}
	return text.String()
}

// newMetrics are a reconciler's, which the witness looks at in the end.
func (w *witness) newMetrics() *registration.Metrics {
	m := registration.NewMetrics()
	w.metrics = append(w.metrics, m)
	return m
}

// recorder passes events on to where specs read them.
func (w *witness) recorder(to events.EventRecorder) events.EventRecorder { return hearing{to, w} }

type hearing struct {
	to events.EventRecorder
	w  *witness
}

// Eventf hears an event and passes it on.
func (h hearing) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	h.w.hear("%s %s %s "+note, append([]any{kind, reason, action}, args...)...)
	h.to.Eventf(regarding, related, kind, reason, action, note, args...)
}

// look sees what a pass has left: the registration and its plane, and the stored token.
func (h *harness) look(ctx context.Context, key types.NamespacedName, err error) {
	if err != nil {
		h.witness.hear("%v %+v", err, err)
	}
	for _, obj := range []client.Object{&v1alpha1.ClusterRegistration{}, &v1alpha1.CCLInfraPlane{}} {
		if h.kube.Get(ctx, key, obj) != nil {
			continue
		}
		text, err := json.Marshal(obj)
		h.witness.hear("%s %v", text, err)
	}
	secret := &corev1.Secret{}
	if h.kube.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: key.Name + "-credentials"}, secret) != nil {
		return
	}
	meta, err := json.Marshal(secret.ObjectMeta)
	h.witness.hear("%s %v", meta, err)
	if cluster, err := argocd.ParseCluster(secret.Data); err == nil {
		h.witness.know(cluster.Config.BearerToken)
	}
}

// testify ends a spec: what it had to say must hold no secret.
func (h *harness) testify(ctx context.Context) {
	GinkgoHelper()
	tokens := &corev1.SecretList{}
	Expect(h.plane.List(ctx, tokens, client.InNamespace("kube-system"))).To(Succeed())
	for i := range tokens.Items {
		h.witness.know(string(tokens.Items[i].Data[corev1.ServiceAccountTokenKey]))
	}
	Expect(h.witness.leaks()).To(BeEmpty(), "a secret was told")
}

var _ = Describe("What is told", func() {
	const canary = "canary-3f9b7c1d5e8a2b4c"

	for name, tell := range map[string]func(*witness, string){
		"in a log": func(_ *witness, s string) { _, _ = io.WriteString(logs, "msg "+s+" end") },
		"in an event": func(w *witness, s string) {
			w.recorder(events.NewFakeRecorder(9)).Eventf(&corev1.Pod{}, nil, "Normal", "A", "B", "note %s", s)
		},
		"in an error":          func(w *witness, s string) { w.hear("%v", fmt.Errorf("step: %s", s)) },
		"encoded":              func(w *witness, s string) { w.hear("%s", base64.StdEncoding.EncodeToString([]byte(s))) },
		"as a label of metric": func(w *witness, s string) { w.newMetrics().Observe(s, 1, "") },
	} {
		It("is looked through for secrets: "+name, func() {
			w := newWitness()
			w.know(canary)
			Expect(w.leaks()).To(BeEmpty())
			tell(w, canary)
			Expect(w.leaks()).To(HaveLen(1))
		})
	}

	It("is looked through for every secret of a kubeconfig, and for a part of a token", func() {
		w := newWitness()
		w.knowFile([]byte("users:\n- user:\n    token: aaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbb.cccccccccccccccc\n    password: pppppppppppppppp\n"))
		for _, part := range []string{"bbbbbbbbbbbbbbbb", "cccccccccccccccc", "pppppppppppppppp"} {
			before := len(w.leaks())
			w.hear("%s", part)
			Expect(len(w.leaks())).To(BeNumerically(">", before), part)
		}
	})
})
