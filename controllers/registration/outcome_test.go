// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// textConstants are the string constants of a source file, by name.
func textConstants(t *testing.T, file string) map[string]string {
	t.Helper()
	g := NewWithT(t)
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	g.Expect(err).NotTo(HaveOccurred())
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if i >= len(spec.Values) {
				continue
			}
			if literal, ok := spec.Values[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				g.Expect(err).NotTo(HaveOccurred())
				found[name.Name] = text
			}
		}
		return true
	})
	return found
}

// kinds are all kinds of failure that internal/remote has.
func kinds(t *testing.T) []remote.Kind {
	t.Helper()
	var all []remote.Kind
	for _, text := range textConstants(t, "../../internal/remote/failure.go") {
		if text != string(remote.None) {
			all = append(all, remote.Kind(text))
		}
	}
	NewWithT(t).Expect(len(all)).To(BeNumerically(">", 25))
	return all
}

// reasonsDeclared are all that the API declares.
func reasonsDeclared(t *testing.T) []string {
	t.Helper()
	var all []string
	for name, text := range textConstants(t, "../../api/v1alpha1/conditions.go") {
		if strings.HasPrefix(name, "Reason") {
			all = append(all, text)
		}
	}
	NewWithT(t).Expect(len(all)).To(BeNumerically(">", 30))
	return all
}

func TestEveryKindOfFailureHasAReason(t *testing.T) {
	g := NewWithT(t)
	all, declared := kinds(t), reasonsDeclared(t)
	for _, kind := range all {
		g.Expect(remoteReasons).To(HaveKey(kind))
		g.Expect(declared).To(ContainElement(remoteReasons[kind]), "%s", kind)
	}
	g.Expect(remoteReasons).To(HaveLen(len(all)), "no kind that does not exist")
	g.Expect(remoteReasons).NotTo(HaveKey(remote.None))
}

func TestTransport(t *testing.T) {
	g := NewWithT(t)
	refusals := map[remote.Kind]bool{
		remote.Unauthorized: true, remote.Forbidden: true, remote.EscalationForbidden: true, remote.QuotaExceeded: true,
		remote.NamespaceTerminating: true, remote.AdmissionDenied: true, remote.NotFound: true, remote.AlreadyExists: true,
		remote.Conflict: true, remote.Unknown: true,
	}
	for _, kind := range kinds(t) {
		g.Expect(transport(kind)).To(Equal(!refusals[kind]), "%s", kind)
	}
	g.Expect(transport(remote.None)).To(BeFalse())
}

func TestOnPlane(t *testing.T) {
	unknown := errors.New(canary)
	for name, test := range map[string]struct {
		err  error
		want problem
	}{
		"a problem":         {&problem{reason: "X", message: "m", after: 7}, problem{reason: "X", message: "m", after: 7}},
		"a wrapped problem": {fmt.Errorf("step: %w", &problem{reason: "X", message: "m"}), problem{reason: "X", message: "m"}},
		"a rejection": {
			&kubeconfig.Rejection{Reason: kubeconfig.ExecNotAllowed, Message: "users[0].user.exec would run a program"},
			problem{reason: "KubeconfigRejected", message: "users[0].user.exec would run a program"},
		},
		"a foreign object": {
			fmt.Errorf("step: %w", &provision.ForeignError{Kind: "Secret", Namespace: "n", Name: "s"}),
			problem{reason: "ForeignObject", backoff: true, message: "Secret n/s on the infra plane belongs to somebody else: remove it, or set spec.serviceAccount to another name"},
		},
		"a claim": {
			&provision.ClaimedError{ConfigMap: "c"},
			problem{reason: "AlreadyClaimed", backoff: true, message: (&provision.ClaimedError{ConfigMap: "c"}).Error()},
		},
		"a terminating object": {
			&provision.TerminatingError{Kind: "Secret", Name: "s"},
			problem{reason: "ApplyConflict", backoff: true, message: "Secret s on the infra plane is being deleted"},
		},
		"a token to come": {
			fmt.Errorf("step: %w", provision.ErrTokenPending),
			problem{reason: "TokenPending", backoff: true, message: "The infra plane has not issued the token yet"},
		},
		"a refused connection": {failure(remote.ConnectionRefused), problem{reason: "ConnectionFailed", backoff: true, message: "The server refused the connection"}},
		"a deadline": {
			&remote.Error{Failure: remote.Failure{Kind: remote.TooManyRequests, HTTPStatus: 429, RetryAfter: time.Minute}},
			problem{reason: "TooManyRequests", backoff: true, after: time.Minute, message: "The server asks for fewer requests (HTTP 429)"},
		},
		"a refusal of another client": {
			apierrors.NewForbidden(corev1.Resource("secrets"), canary, errors.New(canary)),
			problem{reason: "Forbidden", backoff: true, message: "The credential does not have the required permission (HTTP 403)"},
		},
		"anything else": {unknown, problem{reason: "InternalError", backoff: true, message: "The request did not succeed", err: unknown}},
		"a new kind": {
			failure("Surprising"),
			problem{reason: "InternalError", backoff: true, message: "The request did not succeed", err: failure("Surprising")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := onPlane(test.err)
			g.Expect(*got).To(Equal(test.want))
			g.Expect(got.Error()).To(Equal(test.want.message))
			g.Expect(got.Error()).NotTo(ContainSubstring(canary))
			if test.want.err == nil {
				g.Expect(errors.Unwrap(got)).To(Succeed())
			} else {
				g.Expect(errors.Unwrap(got)).To(Equal(test.want.err))
			}
		})
	}
}

// Every failure of a plane is tried again, and only what nobody understands is an error
// that controller-runtime gets to see.
func TestOnPlaneOfEveryKind(t *testing.T) {
	g := NewWithT(t)
	for _, kind := range kinds(t) {
		p := onPlane(failure(kind))
		g.Expect(p.reason).To(Equal(remoteReasons[kind]), "%s", kind)
		g.Expect(p.backoff).To(BeTrue(), "%s", kind)
		g.Expect(p.message).To(Equal(remote.Failure{Kind: kind}.Message()), "%s", kind)
		g.Expect(p.err != nil).To(Equal(kind == remote.Unknown), "%s", kind)
	}
}

func TestOnControlPlane(t *testing.T) {
	quota := apierrors.NewForbidden(corev1.Resource("secrets"), "s", errors.New("exceeded quota: "+canary))
	ending := apierrors.NewForbidden(corev1.Resource("secrets"), "s", errors.New("unable to create new content in namespace x because it is being terminated"))
	denied := &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: "Failure", Code: 400, Reason: metav1.StatusReasonBadRequest, Message: `admission webhook "x" denied the request: ` + canary,
	}}
	conflict := apierrors.NewConflict(corev1.Resource("secrets"), canary, errors.New(canary))
	plain := errors.New(canary)
	for name, test := range map[string]struct {
		err  error
		want problem
	}{
		"a problem": {fmt.Errorf("step: %w", &problem{reason: "X", message: "m"}), problem{reason: "X", message: "m"}},
		"somebody else's": {
			fmt.Errorf("apply: %w", &ccluster.NotControlledError{Kind: "Secret", Namespace: "n", Name: "s"}),
			problem{reason: "ForeignObject", backoff: true, message: "Secret n/s exists and belongs to somebody else: remove it or choose another name"},
		},
		"an earlier one's": {
			&ccluster.NotControlledError{Kind: "Secret", Namespace: "n", Name: "s", Former: true},
			problem{reason: "Pending", backoff: true, message: "Secret n/s of an earlier object of the same name is still being removed"},
		},
		"forbidden": {forbidden(), problem{reason: "Forbidden", backoff: true, message: "The control plane: The credential does not have the required permission (HTTP 403)"}},
		"a quota":   {quota, problem{reason: "QuotaExceeded", backoff: true, message: "The control plane: A resource quota of the namespace does not allow the object (HTTP 403)"}},
		"an ending": {ending, problem{reason: "NamespaceTerminating", backoff: true, message: "The control plane: The namespace is being deleted (HTTP 403)"}},
		"a webhook": {denied, problem{reason: "AdmissionDenied", backoff: true, message: "The control plane: An admission webhook or policy of the server denied the request (HTTP 400)"}},
		"a conflict": {
			conflict,
			problem{reason: "InternalError", message: "The control plane: The object was changed or is managed by someone else (HTTP 409)", err: conflict},
		},
		"anything else": {plain, problem{reason: "InternalError", message: "The control plane: The request did not succeed", err: plain}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := onControlPlane(test.err)
			g.Expect(*got).To(Equal(test.want))
			g.Expect(got.Error()).NotTo(ContainSubstring(canary))
		})
	}
}

func TestWaiting(t *testing.T) {
	NewWithT(t).Expect(*waiting(time.Minute, v1alpha1.ReasonDraining, "%s is %d%%", "x", 5)).
		To(Equal(problem{reason: "Draining", message: "x is 5%", after: time.Minute}))
}
